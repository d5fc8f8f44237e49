import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import { ControlInvalidError, ControlUnauthorizedError } from "./Errors.ts"
import { controlKeyHeader } from "./Wire.ts"

/** Every request to the control API carries the control key in the header `X-Control-Key`. */
export class ControlKeyAuth extends HttpApiMiddleware.Service<ControlKeyAuth>()("@webagent/control/ControlKeyAuth", {
  security: { controlKey: HttpApiSecurity.apiKey({ key: controlKeyHeader, in: "header" }) },
  error: ControlUnauthorizedError
}) {}

/** A request that does not fit its operation is answered with 422 and a line for each field that is wrong. */
export class ControlValidation extends HttpApiMiddleware.Service<ControlValidation>()(
  "@webagent/control/ControlValidation",
  { error: ControlInvalidError }
) {}
