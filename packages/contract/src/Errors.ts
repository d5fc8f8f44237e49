import * as Schema from "effect/Schema"
import { type Call, errorResponse } from "./ErrorResponse.ts"
import { openRecord } from "./OpenRecord.ts"

export type { Call } from "./ErrorResponse.ts"

/**
 * The error as an endpoint declares it: its OpenAPI component then carries the description's name, where the
 * class alone would be listed as `<name>Encoded`.
 */
export const declared = <S extends Schema.Top & { readonly identifier: string }>(error: S) =>
  error.pipe(Schema.annotateEncoded({ identifier: error.identifier }))

/** One problem of a request: its place (`["body", "task"]`), its message and its type. */
export const ValidationError = openRecord({
  loc: Schema.Array(Schema.Union([Schema.String, Schema.Int])),
  msg: Schema.String,
  type: Schema.String
}).annotate({ identifier: "ValidationError" })

/** One thing that is wrong with a request. */
export type ValidationError = typeof ValidationError.Type

/** 422: the request does not fit the operation. `detail` says where and why, one entry each. */
export class HTTPValidationError extends Schema.Error<HTTPValidationError>("HTTPValidationError")(
  {
    detail: Schema.optionalKey(Schema.Array(ValidationError))
  },
  { httpApiStatus: 422 }
) {
  readonly _tag = "HTTPValidationError"
  declare readonly call?: Call
  declare readonly body?: string
  override get message() {
    return this.detail === undefined || this.detail.length === 0
      ? "The request is not valid"
      : this.detail.map((issue) => `${issue.loc.join(".")}: ${issue.msg}`).join("; ")
  }
}

/** 404: no session has the given id. */
export class SessionNotFoundError extends errorResponse<SessionNotFoundError>()(
  "SessionNotFoundError",
  404,
  "Session not found"
) {}

/** 404: no run has the given id. The description shows no v4 error; this is ours. */
export class RunNotFoundError extends errorResponse<RunNotFoundError>()("RunNotFoundError", 404, "Run not found") {}

/** 404: no browser has the given id. The description shows no v4 error; this is ours. */
export class BrowserNotFoundError extends errorResponse<BrowserNotFoundError>()(
  "BrowserNotFoundError",
  404,
  "Browser not found"
) {}

/** 401: no API key, or not a valid one. The description leaves the status open; this is ours. */
export class UnauthorizedError extends errorResponse<UnauthorizedError>()(
  "UnauthorizedError",
  401,
  "Invalid API key"
) {}

/** 409: the resource is in a state that does not allow the operation, such as a message for a stopped session. */
export class ConflictError extends errorResponse<ConflictError>()("ConflictError", 409, "Conflict") {}

/** 413: the body is larger than the server reads. */
export class ContentTooLargeError extends errorResponse<ContentTooLargeError>()(
  "ContentTooLargeError",
  413,
  "Content too large"
) {}

/** 429: too many requests or runs at once; the answer's `Retry-After` header says when to come back. */
export class TooManyRequestsError extends errorResponse<TooManyRequestsError>()(
  "TooManyRequestsError",
  429,
  "Too many requests"
) {}
