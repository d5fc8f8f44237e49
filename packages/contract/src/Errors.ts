import * as Schema from "effect/Schema"
import { openRecord, withDefault } from "./OpenRecord.ts"

// `_tag` is an instance field and not a schema field: `Effect.catchTag` sees it, the wire and OpenAPI do not.

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

/** The call that an error is the answer to. */
export interface Call {
  readonly method: string
  readonly origin: string
  /** Path of the request, `/api/v4/runs`, without a query. */
  readonly path: string
  /** Requests sent for this call. */
  readonly attempts: number
  /** The `X-Request-Id` of the call's requests. */
  readonly requestId: string
}

/** 422: the request does not fit the operation. `detail` says where and why, one entry each. */
export class HTTPValidationError extends Schema.Error<HTTPValidationError>("HTTPValidationError")(
  {
    detail: Schema.optionalKey(Schema.Array(ValidationError))
  },
  { httpApiStatus: 422 }
) {
  readonly _tag = "HTTPValidationError"
  /** The call that was answered so, where a client tells it: no part of the wire. */
  declare readonly call?: Call
  /** The body of the answer as text, without the API key; up to 65,536 characters. */
  declare readonly body?: string
  override get message() {
    return this.detail === undefined || this.detail.length === 0
      ? "The request is not valid"
      : this.detail.map((issue) => `${issue.loc.join(".")}: ${issue.msg}`).join("; ")
  }
}

/** 404: no session has the given id. */
export class SessionNotFoundError extends Schema.Error<SessionNotFoundError>("SessionNotFoundError")(
  {
    detail: withDefault(Schema.String, "Session not found")
  },
  { httpApiStatus: 404 }
) {
  readonly _tag = "SessionNotFoundError"
  /** The call that was answered so, where a client tells it: no part of the wire. */
  declare readonly call?: Call
  /** The body of the answer as text, without the API key; up to 65,536 characters. */
  declare readonly body?: string
  override get message() {
    return this.detail
  }
}

/** 404: no run has the given id. The description shows no v4 error; this is ours. */
export class RunNotFoundError extends Schema.Error<RunNotFoundError>("RunNotFoundError")(
  {
    detail: withDefault(Schema.String, "Run not found")
  },
  { httpApiStatus: 404 }
) {
  readonly _tag = "RunNotFoundError"
  /** The call that was answered so, where a client tells it: no part of the wire. */
  declare readonly call?: Call
  /** The body of the answer as text, without the API key; up to 65,536 characters. */
  declare readonly body?: string
  override get message() {
    return this.detail
  }
}

/** 404: no browser has the given id. The description shows no v4 error; this is ours. */
export class BrowserNotFoundError extends Schema.Error<BrowserNotFoundError>("BrowserNotFoundError")(
  {
    detail: withDefault(Schema.String, "Browser not found")
  },
  { httpApiStatus: 404 }
) {
  readonly _tag = "BrowserNotFoundError"
  /** The call that was answered so, where a client tells it: no part of the wire. */
  declare readonly call?: Call
  /** The body of the answer as text, without the API key; up to 65,536 characters. */
  declare readonly body?: string
  override get message() {
    return this.detail
  }
}

/** 401: no API key, or not a valid one. The description leaves the status open; this is ours. */
export class UnauthorizedError extends Schema.Error<UnauthorizedError>("UnauthorizedError")(
  {
    detail: withDefault(Schema.String, "Invalid API key")
  },
  { httpApiStatus: 401 }
) {
  readonly _tag = "UnauthorizedError"
  /** The call that was answered so, where a client tells it: no part of the wire. */
  declare readonly call?: Call
  /** The body of the answer as text, without the API key; up to 65,536 characters. */
  declare readonly body?: string
  override get message() {
    return this.detail
  }
}

/** 409: the resource is in a state that does not allow the operation, such as a message for a stopped session. */
export class ConflictError extends Schema.Error<ConflictError>("ConflictError")(
  {
    detail: withDefault(Schema.String, "Conflict")
  },
  { httpApiStatus: 409 }
) {
  readonly _tag = "ConflictError"
  /** The call that was answered so, where a client tells it: no part of the wire. */
  declare readonly call?: Call
  /** The body of the answer as text, without the API key; up to 65,536 characters. */
  declare readonly body?: string
  override get message() {
    return this.detail
  }
}

/** 413: the body is larger than the server reads. */
export class ContentTooLargeError extends Schema.Error<ContentTooLargeError>("ContentTooLargeError")(
  {
    detail: withDefault(Schema.String, "Content too large")
  },
  { httpApiStatus: 413 }
) {
  readonly _tag = "ContentTooLargeError"
  /** The call that was answered so, where a client tells it: no part of the wire. */
  declare readonly call?: Call
  /** The body of the answer as text, without the API key; up to 65,536 characters. */
  declare readonly body?: string
  override get message() {
    return this.detail
  }
}

/** 429: too many requests or runs at once; the answer's `Retry-After` header says when to come back. */
export class TooManyRequestsError extends Schema.Error<TooManyRequestsError>("TooManyRequestsError")(
  {
    detail: withDefault(Schema.String, "Too many requests")
  },
  { httpApiStatus: 429 }
) {
  readonly _tag = "TooManyRequestsError"
  /** The call that was answered so, where a client tells it: no part of the wire. */
  declare readonly call?: Call
  /** The body of the answer as text, without the API key; up to 65,536 characters. */
  declare readonly body?: string
  override get message() {
    return this.detail
  }
}
