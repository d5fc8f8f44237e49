import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import { ContentTooLargeError, declared, HTTPValidationError } from "./Errors.ts"

/** The error 413 as endpoints declare it; one value, because each declaration becomes a component of its own in OpenAPI. */
export const contentTooLarge = declared(ContentTooLargeError)

/** A request that does not fit its operation is answered with 422 and an HTTPValidationError. */
export class RequestValidation extends HttpApiMiddleware.Service<RequestValidation>()(
  "@webagent/contract/RequestValidation",
  { error: [declared(HTTPValidationError), contentTooLarge] }
) {}
