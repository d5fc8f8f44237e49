import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Option from "effect/Option"

const errorOf = (result: AsyncResult.AsyncResult<unknown, unknown>): unknown =>
  Option.getOrUndefined(AsyncResult.error(result))

/** A field of a request that is wrong. */
interface Issue {
  /** Its place in the body. */
  readonly path: ReadonlyArray<string>
  readonly msg: string
}

const issueOf = ({ loc, msg }: { readonly loc?: ReadonlyArray<unknown>; readonly msg?: unknown }): Issue => ({
  path: loc?.slice(1).map(String) ?? [],
  msg: String(msg ?? "is wrong")
})

/** Returns the fields that are wrong by a 422. */
export const issuesOf = (result: AsyncResult.AsyncResult<unknown, unknown>): ReadonlyArray<Issue> => {
  const error = errorOf(result)
  if (typeof error !== "object" || error === null || !("detail" in error)) return []
  return Array.isArray(error.detail) ? error.detail.map(issueOf) : []
}

const sentenceOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null || !("detail" in error)) {
    return "The server isn't responding. It may be restarting, or the network may be down."
  }
  const { detail } = error
  if (typeof detail === "string") return /[.!?]$/u.test(detail) ? detail : `${detail}.`
  // a 422 lists each field that is wrong
  if (!Array.isArray(detail)) return "The server refused the request."
  return detail
    .map(issueOf)
    .map(({ msg, path }) => [path.join("."), msg].filter(Boolean).join(": "))
    .join(". ")
    .concat(".")
}

/** Returns the error of a result as a sentence. */
export const reason = (result: AsyncResult.AsyncResult<unknown, unknown>): string => sentenceOf(errorOf(result))

/** Returns the tag of an error of the contract, such as `NotFoundError`. */
export const errorTag = (result: AsyncResult.AsyncResult<unknown, unknown>): string | undefined => {
  const error = errorOf(result)
  return typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : undefined
}

/** True for a request that got no response: the server may have carried it out. */
export const isUnanswered = (result: AsyncResult.AsyncResult<unknown, unknown>): boolean => {
  const error = errorOf(result)
  return AsyncResult.isFailure(result) && !(typeof error === "object" && error !== null && "detail" in error)
}
