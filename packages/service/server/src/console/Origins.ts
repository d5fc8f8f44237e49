import { isLoopback } from "@webagent/contract/Loopback"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { isLocalName, LinkRules, nameOf, originOf } from "../api/Origin.ts"
import { requestSender } from "../api/TrustedProxies.ts"

/**
 * True if a page of another origin sends the request. Browsers say so in `Sec-Fetch-Site`, and with a change or a
 * WebSocket in `Origin`; other clients send neither, and have no cookie to abuse.
 */
export const isForeign = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<boolean> => {
  const { headers } = request
  const site = headers["sec-fetch-site"]
  if (site !== undefined && site !== "same-origin" && site !== "none") return Effect.succeed(true)
  const { origin } = headers
  if (origin === undefined) return Effect.succeed(false)
  const page = URL.parse(origin)?.host
  if (page === undefined) return Effect.succeed(true)
  if (page === headers["host"]) return Effect.succeed(false)
  return Effect.map(originOf(request), (start) => page !== URL.parse(start)?.host)
}

/** The way of a browser to the server: a key may be sent by `tls` and on `loopback`. */
export type Transport = "tls" | "loopback" | "plain"

/** Finds out how a browser reaches the server. */
export const transportOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Transport> =>
  Effect.gen(function* () {
    const { publicUrl } = yield* LinkRules
    const { address, protocol } = yield* requestSender(request)
    if (protocol === "https") return "tls"
    const host = request.headers["host"] ?? ""
    if (isLocalName(nameOf(host)) && address !== undefined && isLoopback(address)) return "loopback"
    // a browser says with a change how it reached the page, even if the server doesn't know its proxy
    if (request.headers["origin"]?.startsWith("http:") === true) return "plain"
    // a proxy that isn't trusted says nothing of TLS, so the name in the address decides
    const isPublic = publicUrl !== undefined && publicUrl.startsWith("https:")
    return isPublic && URL.parse(publicUrl)?.host === host ? "tls" : "plain"
  })
