import { detailError } from "@webagent/contract"

/** 401: no control key, or not the right one. */
export class ControlUnauthorizedError extends detailError<ControlUnauthorizedError>()(
  "ControlUnauthorizedError",
  401
) {}

/** 404: there is no preset, session, run or browser of this name or id. */
export class ControlNotFoundError extends detailError<ControlNotFoundError>()("ControlNotFoundError", 404) {}

/** 409: not while the service is as it is, such as moving time that is not manual. */
export class ControlConflictError extends detailError<ControlConflictError>()("ControlConflictError", 409) {}

/** 422: the body does not fit; `detail` has a line for each field that is wrong, with its path. */
export class ControlInvalidError extends detailError<ControlInvalidError>()("ControlInvalidError", 422) {}
