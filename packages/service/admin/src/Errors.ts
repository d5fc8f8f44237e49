import { ConflictError, declared, detailError } from "@webagent/contract"

/** 400: the cursor belongs to another list, to other filters, or to another server. Read the list from its start. */
export class BadCursorError extends detailError<BadCursorError>()("BadCursorError", 400) {}

/** 403: the key lacks the scope that the operation needs. */
export class ForbiddenError extends detailError<ForbiddenError>()("ForbiddenError", 403) {}

/** 404: no record has this id, or none that the key may see. */
export class NotFoundError extends detailError<NotFoundError>()("NotFoundError", 404) {}

/** 503: the store or another node doesn't respond, or the server is draining. Retry later, as `Retry-After` says. */
export class UnavailableError extends detailError<UnavailableError>()("UnavailableError", 503) {}

/** The errors as endpoints declare them: one value each, so that the OpenAPI document has one component each. */
export const errors = {
  badCursor: declared(BadCursorError),
  conflict: declared(ConflictError),
  forbidden: declared(ForbiddenError),
  notFound: declared(NotFoundError),
  unavailable: declared(UnavailableError)
} as const
