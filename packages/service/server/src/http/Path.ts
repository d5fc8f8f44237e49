import * as Result from "effect/Result"

/** Whether a text has no percent sign but those of escapes. */
export const isDecodable = (text: string): boolean => Result.isSuccess(Result.try(() => decodeURIComponent(text)))

/** The path as the router reads it: one slash where there are more, and characters that need no escape without it. */
export const pathOf = (url: string): string => {
  const end = url.search(/[?;#]/u)
  const asked = end === -1 ? url : url.slice(0, end)
  const path = asked.includes("//") ? asked.replaceAll(/\/{2,}/gu, "/") : asked
  if (!path.includes("%")) return path
  return path
    .split("/")
    .map((segment) => (isDecodable(segment) ? decodeURIComponent(segment).replaceAll("/", "%2F") : segment))
    .join("/")
}
