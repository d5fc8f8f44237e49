import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import { ContentTooLargeError, declared, HTTPValidationError } from "./Errors.ts"

/** A request that does not fit its operation is answered with 422 and an HTTPValidationError. */
export class RequestValidation extends HttpApiMiddleware.Service<RequestValidation>()(
  "@webagent/contract/RequestValidation",
  { error: [declared(HTTPValidationError), declared(ContentTooLargeError)] }
) {}
