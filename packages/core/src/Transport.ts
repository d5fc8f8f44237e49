import type { ApiVersion } from "@webagent/contract/Wire"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { ClientConfig } from "./ClientConfig.ts"
import * as Grace from "./Grace.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import {
  ConnectionFailed,
  InvalidRequest,
  Timeout,
  TransportError,
  type TransportErrorReason
} from "./TransportError.ts"
import { version as packageVersion } from "./version.ts"

/** The innermost error that the system gave, as a plain one: what libraries hang on theirs may hold the request. */
const connectionFailed = (error: HttpClientError.HttpClientError, redact: (text: string) => string) => {
  let cause: unknown = "cause" in error.reason ? error.reason.cause : error
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause
  if (cause instanceof AggregateError) cause = cause.errors[0] ?? cause
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined
  const plain = new Error(redact(cause instanceof Error ? cause.message : String(cause)))
  plain.stack = `${plain.name}: ${plain.message}`
  return new ConnectionFailed({ ...(code === undefined ? {} : { code }), cause: plain })
}

const toReason = (error: HttpClientError.HttpClientError, redact: (text: string) => string): TransportErrorReason => {
  const { reason } = error
  return reason._tag === "InvalidUrlError" || reason._tag === "EncodeError"
    ? new InvalidRequest({ issue: "the address or body of the request cannot be encoded" })
    : connectionFailed(error, redact)
}

const make = Effect.gen(function* () {
  const config = yield* ClientConfig
  const client = HttpClient.withScope(yield* HttpClient.HttpClient)
  const retrier = RetryPolicy.makeRetrier(yield* RetryPolicy.Current)
  const fetchOptions = yield* Effect.serviceOption(FetchHttpClient.RequestInit)
  const key = Redacted.value(config.apiKey)
  const redact = (text: string) => text.replaceAll(key, "<redacted>")
  const defaults = Headers.fromInput({
    "user-agent": `webagent/${packageVersion}`,
    accept: "application/json",
    ...config.headers
  })

  const execute = (version: ApiVersion, request: HttpClientRequest.HttpClientRequest) =>
    Effect.suspend(() => {
      const keyless = HttpClientRequest.prependUrl(
        HttpClientRequest.setHeaders(request, Headers.merge(defaults, request.headers)),
        config.baseUrls[version]
      )
      // a slash always separates the two, so that no path can continue the host: the key stays with its origin
      const { origin, pathname: path } = new URL(keyless.url)
      const failWith = (reason: TransportErrorReason) =>
        new TransportError({
          method: request.method,
          path,
          origin,
          attempts: reason._tag === "InvalidRequest" ? 0 : 1,
          reason
        })
      const keyed = Headers.has(keyless.headers, config.apiKeyHeader)
        ? keyless
        : HttpClientRequest.setHeader(keyless, config.apiKeyHeader, key)

      let phase: Timeout["phase"] = "headers"
      return client.execute(keyed).pipe(
        Effect.tap((response) => {
          phase = "body"
          return response.arrayBuffer
        }),
        Effect.scoped,
        Effect.mapError((error) => failWith(toReason(error, redact))),
        Effect.timeoutOrElse({
          duration: config.requestTimeout,
          orElse: () => Effect.fail(failWith(new Timeout({ phase, after: config.requestTimeout })))
        }),
        // a response shows its request to whoever prints it
        Effect.map((response): HttpClientResponse.HttpClientResponse =>
          Object.create(response, { request: { value: keyless, enumerable: true } })
        ),
        Effect.tap((response) => Effect.annotateCurrentSpan("http.response.status_code", response.status)),
        Effect.withSpan(request.method, {
          kind: "client",
          attributes: { "http.request.method": request.method, "url.full": `${origin}${path}` }
        })
      )
    }).pipe(
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
      Effect.provideService(HttpClient.TracerPropagationEnabled, false),
      Effect.updateService(Headers.CurrentRedactedNames, (names) => [...names, config.apiKeyHeader]),
      Effect.provideService(FetchHttpClient.RequestInit, {
        ...(fetchOptions._tag === "Some" ? fetchOptions.value : {}),
        redirect: "manual"
      })
    )

  return Transport.of({ baseUrls: config.baseUrls, execute, retry: retrier.retry, grace: Grace.make(), redact })
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
 *   const response = yield* transport.execute("v4", HttpClientRequest.get("/runs/1/status"))
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
    readonly execute: (
      version: ApiVersion,
      request: HttpClientRequest.HttpClientRequest
    ) => Effect.Effect<HttpClientResponse.HttpClientResponse, TransportError>
    /** Tries a call that changes nothing again, as RetryPolicy says. */
    readonly retry: RetryPolicy.Retrier["retry"]
    /** What was created through this Transport, by whichever service: a 404 of it is forgiven for 5 seconds. */
    readonly grace: Grace.Grace
    /** The text without the key, should a service echo it. */
    readonly redact: (text: string) => string
  }
>()("@webagent/core/Transport") {
  static readonly layer: Layer.Layer<Transport, never, ClientConfig | HttpClient.HttpClient> = Layer.effect(this, make)
}
