import { ConflictError, declared } from "@webagent/contract"
import * as Schema from "effect/Schema"

// `_tag` is an instance field and not a schema field: `Effect.catchTag` sees it, the wire does not.

/** 400: the cursor belongs to another list, to other filters, or to another server. Read the list from its start. */
export class BadCursorError extends Schema.Error<BadCursorError>("BadCursorError")(
  { detail: Schema.String },
  { httpApiStatus: 400 }
) {
  readonly _tag = "BadCursorError"
  override get message() {
    return this.detail
  }
}

/** 403: the key lacks the scope that the operation needs. */
export class ForbiddenError extends Schema.Error<ForbiddenError>("ForbiddenError")(
  { detail: Schema.String },
  { httpApiStatus: 403 }
) {
  readonly _tag = "ForbiddenError"
  override get message() {
    return this.detail
  }
}

/** 404: no record has this id, or none that the key may see. */
export class NotFoundError extends Schema.Error<NotFoundError>("NotFoundError")(
  { detail: Schema.String },
  { httpApiStatus: 404 }
) {
  readonly _tag = "NotFoundError"
  override get message() {
    return this.detail
  }
}

/** 503: the store or another node doesn't respond, or the server is draining. Retry later, as `Retry-After` says. */
export class UnavailableError extends Schema.Error<UnavailableError>("UnavailableError")(
  { detail: Schema.String },
  { httpApiStatus: 503 }
) {
  readonly _tag = "UnavailableError"
  override get message() {
    return this.detail
  }
}

/** The errors as endpoints declare them: one value each, so that the OpenAPI document has one component each. */
export const errors = {
  badCursor: declared(BadCursorError),
  conflict: declared(ConflictError),
  forbidden: declared(ForbiddenError),
  notFound: declared(NotFoundError),
  unavailable: declared(UnavailableError)
} as const
