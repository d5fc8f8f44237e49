import type { ApiVersion } from "@webagent/contract/Wire"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Answered } from "./Answered.ts"
import * as Breaker from "./Breaker.ts"
import { ClientConfig } from "./ClientConfig.ts"
import * as Creates from "./Creates.ts"
import * as Exchange from "./Exchange.ts"
import * as Grace from "./Grace.ts"
import * as IdempotencyKey from "./IdempotencyKey.ts"
import * as Ledger from "./Ledger.ts"
import * as RequestId from "./RequestId.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import type { TransportError } from "./TransportError.ts"
import { version as packageVersion } from "./version.ts"

const make = Effect.gen(function* () {
  const config = yield* ClientConfig
  const retrier = RetryPolicy.makeRetrier(yield* RetryPolicy.Current)
  const keys = yield* IdempotencyKey.Current
  const ledger = yield* Ledger.Current
  const breaker = yield* Breaker.Current
  const grace = Grace.make()
  const key = Redacted.value(config.apiKey)
  const redact = (text: string) => text.replaceAll(key, "<redacted>")
  const defaults = Headers.fromInput({
    "user-agent": `webagent/${packageVersion}`,
    accept: "application/json",
    ...config.headers
  })
  // one random part a client, then a count: cheap, and what a client has sent is in order
  const client = (yield* keys).replaceAll(/[^\w]/gu, "").slice(0, 12)
  let calls = 0
  const newRequestId = () => `${client}-${(++calls).toString(36)}`

  const exchangeOnce = Exchange.make({
    client: yield* HttpClient.HttpClient,
    timeouts: config.timeouts,
    keyed: (headers) =>
      Object.hasOwn(headers, config.apiKeyHeader) ? headers : { ...headers, [config.apiKeyHeader]: key },
    redact,
    // redirects are left alone, the key out of sight, spans to us
    context: Context.make(HttpClient.TracerDisabledWhen, () => true).pipe(
      Context.add(Headers.CurrentRedactedNames, [...(yield* Headers.CurrentRedactedNames), config.apiKeyHeader]),
      Context.add(FetchHttpClient.RequestInit, {
        ...Context.getOrUndefined(yield* Effect.context<never>(), FetchHttpClient.RequestInit),
        redirect: "manual"
      })
    )
  })

  const exchange: Transport["Service"]["exchange"] = (version, request) =>
    Effect.withFiber((fiber) => {
      const headers: Record<string, string> = { ...defaults, ...request.headers }
      const { method, url } = request
      const outgoing = {
        method,
        // a slash always separates the two, so that no path can continue the host: the key stays with its origin
        url: `${config.baseUrls[version]}${url.startsWith("/") ? "" : "/"}${url}`,
        headers,
        request,
        requestId: (headers["x-request-id"] ??= newRequestId()),
        attempt: fiber.getRef(RetryPolicy.Attempt)
      }
      return Breaker.guard(breaker, outgoing, exchangeOnce(outgoing))
    })

  return Transport.of({
    baseUrls: config.baseUrls,
    exchange,
    requestId: Effect.map(RequestId.Current, (id) => id ?? newRequestId()),
    retry: retrier.retry,
    ...Creates.make({ target: config.target, retrier, ledger, keys, grace }),
    grace,
    redact
  })
})

/**
 * Sends requests to the configured addresses, with the key. The version clients stand on it; on its own it reaches
 * what they do not list.
 *
 * @example
 * ```ts
 * import { ClientConfig, Transport } from "@webagent/core"
 * import * as Effect from "effect/Effect"
 * import * as FetchHttpClient from "effect/http/FetchHttpClient"
 * import * as HttpClientRequest from "effect/http/HttpClientRequest"
 *
 * export const program = Effect.gen(function* () {
 *   const transport = yield* Transport
 *   const response = yield* transport.exchange("v4", HttpClientRequest.get("/runs/1/status"))
 *   return response.status
 * }).pipe(
 *   Effect.provide(Transport.layer),
 *   Effect.provide(ClientConfig.layerConfig),
 *   Effect.provide(FetchHttpClient.layer)
 * )
 * ```
 */
export class Transport extends Context.Service<
  Transport,
  {
    /** Full address of each version. */
    readonly baseUrls: Readonly<Record<ApiVersion, string>>
    /**
     * One attempt of any request, its path relative to the version's base address. Every status is a success and the
     * whole body has been read, within `requestTimeout`. The key is attached unless the request has that header.
     */
    readonly exchange: (
      version: ApiVersion,
      request: HttpClientRequest.HttpClientRequest
    ) => Effect.Effect<Answered, TransportError>
    /** The id that `RequestId.given` gives a call, else a new one: all its requests have it as `X-Request-Id`. */
    readonly requestId: Effect.Effect<string>
    /** Tries a call that changes nothing again, as RetryPolicy says. */
    readonly retry: RetryPolicy.Retrier["retry"]
    /** Sends a create, by the rules for creates, and keeps the ledger. */
    readonly create: Creates.Creates["create"]
    /** Notes in the ledger that what was created is over: a browser that was stopped, a run that is terminal. */
    readonly closed: Creates.Creates["closed"]
    /** What was created through this Transport, by whichever service: a 404 of it is forgiven for 5 seconds. */
    readonly grace: Grace.Grace
    /** The text without the key, should a service echo it. */
    readonly redact: (text: string) => string
  }
>()("@webagent/core/Transport") {
  static readonly layer: Layer.Layer<Transport, never, ClientConfig | HttpClient.HttpClient> = Layer.effect(this, make)
}
