import type * as FindMyWay from "effect/http/FindMyWay"
import * as Result from "effect/Result"

/** The settings of the router. A long id reaches its operation, which responds with 404 or 422. */
export const routerConfig: Partial<FindMyWay.RouterConfig> = {
  maxParamLength: 16_384,
  ignoreTrailingSlash: false,
  caseSensitive: true
}

/** True if every percent sign in the text starts an escape. */
export const isDecodable = (text: string): boolean => Result.isSuccess(Result.try(() => decodeURIComponent(text)))

/** The path as the router reads it: repeated slashes are one, and needless escapes are decoded. */
export const pathOf = (url: string): string => {
  const end = url.search(/[?;#]/u)
  const withoutQuery = end === -1 ? url : url.slice(0, end)
  const path = withoutQuery.includes("//") ? withoutQuery.replaceAll(/\/{2,}/gu, "/") : withoutQuery
  if (!path.includes("%")) return path
  return path
    .split("/")
    .map((segment) => (isDecodable(segment) ? decodeURIComponent(segment).replaceAll("/", "%2F") : segment))
    .join("/")
}
