import { declared, detailError } from "@webagent/contract"

/** 401: the page has no session. Open the address that the command printed. */
export class SignedOutError extends detailError<SignedOutError>()("SignedOutError", 401) {}

/** 403: the request comes from another origin, or the command was started without the flag that allows it. */
export class RefusedError extends detailError<RefusedError>()("RefusedError", 403) {}

/** 404: there is no such run, trial, night, file or load test. */
export class MissingError extends detailError<MissingError>()("MissingError", 404) {}

/** 409: it can't be done now, for example because another run is active or a folder is read-only. */
export class CannotError extends detailError<CannotError>()("CannotError", 409) {}

/** The errors as endpoints declare them: one value each, so that the OpenAPI document has one component each. */
export const errors = {
  signedOut: declared(SignedOutError),
  refused: declared(RefusedError),
  missing: declared(MissingError),
  cannot: declared(CannotError)
} as const
