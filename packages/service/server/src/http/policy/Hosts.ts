import { isLoopback } from "@webagent/contract/Loopback"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import { isLocalName, nameOf } from "../../api/Origin.ts"
import { requestSender } from "../../api/TrustedProxies.ts"
import * as ErrorResponse from "./ErrorResponse.ts"

/** The host names that requests may address besides those of this machine; null for any name. */
export const AllowedHosts: Context.Reference<ReadonlyArray<string> | null> = Context.Reference(
  "@webagent/server/AllowedHosts",
  { defaultValue: (): ReadonlyArray<string> | null => null }
)

/** The allowed names of a server: `hosts`; by default none on a loopback address, and any elsewhere. */
export const allowedHosts = (host: string, hosts: ReadonlyArray<string> | undefined): ReadonlyArray<string> | null =>
  hosts?.map((name) => name.toLowerCase()) ?? (isLoopback(host) ? [] : null)

/**
 * The host name of a request if it isn't allowed. DNS rebinding: a web page can point its own name to 127.0.0.1, and
 * then has the same origin as a server on this machine. Its requests still carry its name.
 */
export const refusedHost = (
  { headers }: HttpServerRequest.HttpServerRequest,
  allowed: ReadonlyArray<string> | null
): string | undefined => {
  const { host } = headers
  // clients other than browsers may leave it out
  if (allowed === null || host === undefined) return undefined
  const name = nameOf(host)
  return isLocalName(name) || allowed.includes(name) ? undefined : name
}

/** The host name of the current request if it isn't allowed. A trusted proxy decides itself which names it serves. */
export const findRefusedHost = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const name = refusedHost(request, yield* AllowedHosts)
  return name === undefined || (yield* requestSender(request)).isProxied ? undefined : name
})

/** The error for a name that is not allowed. */
export const sentence = (name: string): string =>
  `Host "${name}" is not allowed. Use 127.0.0.1, or allow the name where the server is started (--allow-host).`

/** Refuses requests to a name that is not allowed. */
export const checked = <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest> =>
  Effect.gen(function* () {
    const name = yield* findRefusedHost
    return name === undefined ? yield* app : ErrorResponse.make(403, sentence(name))
  })
