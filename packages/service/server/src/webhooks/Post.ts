import { notPublic } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"
import { lookup, Resolver } from "node:dns/promises"
import { request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import type { LookupAddress } from "node:dns"

/** There was no response. `reason` is a sentence without a full stop, for the log of deliveries. */
export class PostFailed extends Data.TaggedError("PostFailed")<{ readonly reason: string }> {}

/** The limits of requests to webhooks. */
export interface PostLimits {
  /** True if webhooks may have addresses that aren't public, such as those of the server's own network. */
  readonly allowPrivate: boolean
}

/** Time limit for a request, from the first look-up to the response's status. */
export const timeout = "10 seconds"

type Addresses = Effect.Effect<ReadonlyArray<LookupAddress>, PostFailed>

const family = (addresses: ReadonlyArray<string>, of: 4 | 6) => addresses.map((address) => ({ address, family: of }))

/**
 * The addresses of a name. Names of a private network may be in the system's files. Others are looked up in DNS only,
 * because the system's resolver blocks one of Node's few threads, and slow names would keep all of them busy.
 */
const resolve = (name: string, { allowPrivate }: PostLimits): Addresses =>
  Effect.tryPromise({
    try: async () => {
      if (allowPrivate) return await lookup(name, { all: true })
      const resolver = new Resolver({ timeout: 3000, tries: 2 })
      const none = (): ReadonlyArray<string> => []
      const [v4, v6] = await Promise.all([resolver.resolve4(name).catch(none), resolver.resolve6(name).catch(none)])
      return [...family(v4, 4), ...family(v6, 6)]
    },
    catch: () => new PostFailed({ reason: `The name ${name} has no address` })
  })

/** Finds the addresses of a name. */
export const Resolve: Context.Reference<typeof resolve> = Context.Reference("@webagent/server/webhooks/Resolve", {
  defaultValue: () => resolve
})

/** The URL's host as an address; undefined for a name. */
const literalOf = ({ hostname }: URL) =>
  Result.getOrUndefined(NetAddress.ipFromString(hostname.replaceAll(/^\[|\]$/gu, "")))

const notPublicReason = (host: string, why: string) =>
  `${host} is not a public address (${why}). The server's operator can allow such webhooks with --allow-private-webhooks`

/** The reason why a URL can't be a webhook's, as far as it shows without a look-up; undefined if it can. */
export const urlProblem = (text: string, { allowPrivate }: PostLimits): string | undefined => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/u.test(url.protocol) || url.hostname === "") {
    return "Expected an address such as https://app.example/webhooks"
  }
  if (url.username !== "" || url.password !== "") return "Expected an address without a user name and password"
  const literal = literalOf(url)
  const why = literal === undefined || allowPrivate ? undefined : notPublic(literal)
  return why === undefined ? undefined : notPublicReason(url.hostname, why)
}

/** Looks up a URL's host once and checks every address that it has. */
const checked = Effect.fnUntraced(function* (url: URL, limits: PostLimits) {
  const literal = literalOf(url)
  const host = url.hostname
  const addresses =
    literal === undefined
      ? yield* (yield* Resolve)(host, limits)
      : [{ address: NetAddress.formatIp(literal), family: NetAddress.isIpv4Address(literal) ? 4 : 6 }]
  if (addresses.length === 0) return yield* new PostFailed({ reason: `The name ${host} has no address` })
  for (const { address } of limits.allowPrivate ? [] : addresses) {
    const parsed = Result.getOrUndefined(NetAddress.ipFromString(address))
    const why = parsed === undefined ? "unreadable" : notPublic(parsed)
    // the log doesn't show addresses that its reader didn't write
    if (why !== undefined) {
      return yield* new PostFailed({
        reason: literal === undefined ? notPublicReason(host, "its name resolves to one") : notPublicReason(host, why)
      })
    }
  }
  return addresses
})

const reasonOf = (error: Error) => ("code" in error ? String(error.code) : error.message)

/** Sends the request to one of these addresses, without resolving the name again. */
const send = (
  url: URL,
  addresses: ReadonlyArray<LookupAddress>,
  headers: Readonly<Record<string, string>>,
  body: string
) =>
  Effect.callback<number, PostFailed>((resume) => {
    const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
      method: "POST",
      headers: { ...headers, "content-length": String(Buffer.byteLength(body)) },
      agent: false,
      lookup: (_host, _options, callback) => callback(null, [...addresses])
    })
    request.once("response", (response) => {
      resume(Effect.succeed(response.statusCode ?? 0))
      // the status is all that matters, and a body may be endless
      request.destroy()
    })
    request.on("error", (error) => resume(new PostFailed({ reason: `No response: ${reasonOf(error)}` })))
    request.end(body)
    return Effect.sync(() => request.destroy())
  })

/**
 * Sends a POST request and returns the response's status. Redirects aren't followed, and the response's body isn't read.
 * The host's name is resolved only once, every address is checked, and the connection uses a checked address. So the
 * name can't change its address between the check and the connection.
 */
export const post = (
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  limits: PostLimits
): Effect.Effect<number, PostFailed> =>
  Effect.flatMap(checked(url, limits), (addresses) => send(url, addresses, headers, body)).pipe(
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => new PostFailed({ reason: `No response within ${timeout}` })
    }),
    // sockets are real, even if the clock of the service is simulated
    Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
  )
