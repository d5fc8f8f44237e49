import * as Result from "effect/Result"

/** True if every percent sign in the text starts an escape. */
export const isDecodable = (text: string): boolean => Result.isSuccess(Result.try(() => decodeURIComponent(text)))

/** The path as the router reads it: repeated slashes are one, and needless escapes are decoded. */
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
