import { isLoopback } from "@webagent/contract/Loopback"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Answer from "./Answer.ts"

/** The names, besides those of this machine, by which a server may be addressed; null for any name. */
export const AllowedHosts: Context.Reference<ReadonlyArray<string> | null> = Context.Reference(
  "@webagent/server/AllowedHosts",
  { defaultValue: (): ReadonlyArray<string> | null => null }
)

/** The names for a server: one that only this machine reaches has no others, unless they are given. */
export const allowedHosts = (host: string, given: ReadonlyArray<string> | undefined): ReadonlyArray<string> | null =>
  given?.map((name) => name.toLowerCase()) ?? (isLoopback(host) ? [] : null)

/**
 * The name that a request addresses, if it is not allowed. A web page can give its own name the address 127.0.0.1 (DNS
 * rebinding), and is then of the same origin as a server of this machine; its requests still carry its name.
 */
export const refusedHost = (
  { headers }: HttpServerRequest.HttpServerRequest,
  allowed: ReadonlyArray<string> | null
): string | undefined => {
  const { host } = headers
  // only browsers always send one
  if (allowed === null || host === undefined) return undefined
  const name = URL.parse(`http://${host}`)?.hostname ?? host
  return isLoopback(name) || name.endsWith(".localhost") || allowed.includes(name) ? undefined : name
}

/** The answer to a request with such a name. */
export const sentence = (name: string): string =>
  `Host "${name}" is not allowed. Use 127.0.0.1, or allow the name where the server is started (--allow-host).`

/** An app whose callers address it by an allowed name. */
export const checked = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest> =>
  Effect.gen(function* () {
    const name = refusedHost(yield* HttpServerRequest.HttpServerRequest, yield* AllowedHosts)
    return name === undefined ? yield* app : Answer.detail(403, sentence(name))
  })
