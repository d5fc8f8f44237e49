import * as Schema from "effect/Schema"

// `_tag` is an instance field and not a schema field: `Effect.catchTag` sees it, the wire does not.

/** 401: no control key, or not the right one. */
export class ControlUnauthorizedError extends Schema.Error<ControlUnauthorizedError>("ControlUnauthorizedError")(
  { detail: Schema.String },
  { httpApiStatus: 401 }
) {
  readonly _tag = "ControlUnauthorizedError"
  override get message() {
    return this.detail
  }
}

/** 404: there is no preset, session, run or browser of this name or id. */
export class ControlNotFoundError extends Schema.Error<ControlNotFoundError>("ControlNotFoundError")(
  { detail: Schema.String },
  { httpApiStatus: 404 }
) {
  readonly _tag = "ControlNotFoundError"
  override get message() {
    return this.detail
  }
}

/** 409: not while the service is as it is, such as moving time that is not manual. */
export class ControlConflictError extends Schema.Error<ControlConflictError>("ControlConflictError")(
  { detail: Schema.String },
  { httpApiStatus: 409 }
) {
  readonly _tag = "ControlConflictError"
  override get message() {
    return this.detail
  }
}

/** 422: the body does not fit; `detail` has a line for each field that is wrong, with its path. */
export class ControlInvalidError extends Schema.Error<ControlInvalidError>("ControlInvalidError")(
  { detail: Schema.String },
  { httpApiStatus: 422 }
) {
  readonly _tag = "ControlInvalidError"
  override get message() {
    return this.detail
  }
}
