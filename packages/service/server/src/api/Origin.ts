import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"

/**
 * Scheme, host and port under which the caller reached this server. Links in answers start with it, so that
 * they work through a published port or a name, where the address that the server listens on would not.
 */
export const origin = (request: HttpServerRequest.HttpServerRequest): string =>
  Option.match(HttpServerRequest.toURL(request), { onNone: () => "http://localhost", onSome: (url) => url.origin })
