import type { ApiVersion } from "@webagent/contract/Wire"
import * as Context from "effect/Context"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Answered } from "./Answered.ts"
import * as Breaker from "./Breaker.ts"
import { checkHeaders, ClientConfig, type ClientConfigError } from "./ClientConfig.ts"
import * as Creates from "./Creates.ts"
import * as Exchange from "./Exchange.ts"
import { Elapsed } from "@webagent/polling"
import * as Grace from "./Grace.ts"
import * as Hooks from "./Hooks.ts"
import * as HttpTags from "./HttpTags.ts"
import * as IdempotencyKey from "./IdempotencyKey.ts"
import * as Ledger from "./Ledger.ts"
import type { CallRequest, Outgoing, PlainRequest } from "./Outgoing.ts"
import * as Redact from "./Redact.ts"
import * as RequestId from "./RequestId.ts"
import * as Settings from "./Settings.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import { refused, type TransportError } from "./TransportError.ts"
import { sendOf } from "./WholeAnswer.ts"
import { version as packageVersion } from "./version.ts"

/** Headers by their names in lower case. One without a value, as JavaScript may give it, is left out. */
const lowered = (headers: Readonly<Record<string, string>> = {}) => {
  const lower: Record<string, string> = {}
  for (const name of Object.keys(headers)) {
    const value = headers[name] ?? undefined
    if (value !== undefined) lower[name.toLowerCase()] = value
  }
  return lower
}

const make = Effect.gen(function* () {
  const config = yield* ClientConfig
  const retrier = RetryPolicy.makeCurrent(yield* RetryPolicy.Current)
  const keys = yield* IdempotencyKey.Current
  const ledger = yield* Ledger.Current
  const breaker = yield* Breaker.Current
  const { hooks } = config
  const grace = Grace.make()
  const key = Redacted.value(config.apiKey)
  const redact = Redact.make(key)
  const defaults = lowered({
    "user-agent": `webagent/${packageVersion}`,
    accept: "application/json",
    ...config.headers
  })
  const keyed = { [config.apiKeyHeader]: key }
  // one random part a client, then a count: cheap, and what a client has sent is in order
  const client = (yield* keys).replaceAll(/[^\w]/gu, "").slice(0, 12)
  let calls = 0
  const newRequestId = () => `${client}-${(++calls).toString(36)}`

  const options: RequestInit = {
    ...Context.getOrUndefined(yield* Effect.context<never>(), FetchHttpClient.RequestInit),
    redirect: "manual"
  }
  // redirects are left alone, the key out of sight, spans to us
  const usual = Context.make(HttpTags.TracerDisabledWhen, () => true).pipe(
    Context.add(Headers.CurrentRedactedNames, [...(yield* Headers.CurrentRedactedNames), config.apiKeyHeader])
  )
  const exchangeOnce = Exchange.make({
    send: sendOf(yield* HttpTags.HttpClient, usual),
    options,
    timeouts: config.timeouts,
    keyed: (headers) => ({ ...keyed, ...headers }),
    redact
  })

  const hooked = (hooks: Hooks.Hooks, outgoing: Outgoing, exchange: Effect.Effect<Answered, TransportError>) =>
    Effect.flatMap(Elapsed.now_ms, (began_ms) => {
      const { attempt, method, requestId, url } = outgoing
      const event = { method, url: redact(url.replace(/[?#].*/u, "")), requestId, attempt }
      if (attempt > 1) Hooks.tell(hooks.onRetry, event)
      Hooks.tell(hooks.onRequest, event)
      return Effect.onExit(exchange, (exit) =>
        Effect.map(Elapsed.now_ms, (now_ms) => {
          const answered = Exit.isSuccess(exit) ? exit.value : undefined
          const failed = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.findErrorOption(exit.cause)) : undefined
          Hooks.tell(hooks.onResponse, {
            ...event,
            status: answered?.status,
            error: answered ? undefined : (failed?.reason._tag ?? "Interrupted"),
            duration_ms: now_ms - began_ms
          })
        })
      )
    })

  const send = (
    version: ApiVersion,
    request: PlainRequest & Partial<CallRequest>,
    settings: Settings.Settings,
    chosen?: Readonly<Record<string, string>>
  ) => {
    const { body, headers: own, method, url } = request
    const headers: Record<string, string> = { ...defaults, ...chosen }
    if (own !== undefined) Object.assign(headers, lowered(own))
    const requestId = (headers["x-request-id"] = request.requestId ?? headers["x-request-id"] ?? newRequestId())
    const outgoing = {
      method,
      // a slash always separates the two, so that no path can continue the host: the key stays with its origin
      url: `${config.baseUrls[version]}${url.startsWith("/") ? "" : "/"}${url}`,
      headers,
      body,
      requestId,
      attempt: settings.attempt
    }
    const guarded = Breaker.guard(settings.breaker ?? breaker, outgoing, exchangeOnce(outgoing, settings))
    const answered = hooks === undefined ? guarded : hooked(hooks, outgoing, guarded)
    const { slot } = settings
    return slot === undefined ? answered : Effect.map(answered, (answer) => slot.tell(answer, settings.clock, redact))
  }

  const exchange: Transport["Service"]["exchange"] = (version, request) =>
    Effect.withFiber((fiber) => {
      const settings = Settings.of(fiber.context)
      const { headers } = settings.options
      if (headers === undefined) return send(version, request, settings)
      const refuse = Effect.catch(({ message: issue }: ClientConfigError) => {
        const { origin, pathname } = new URL(config.baseUrls[version])
        return refused({ method: request.method, path: `${pathname}${request.url}`, origin }, issue)
      })
      const checked = refuse(checkHeaders(headers, config.apiKeyHeader))
      return Effect.flatMap(checked, (own) => send(version, request, settings, lowered(own)))
    })

  return Transport.of({
    baseUrls: config.baseUrls,
    exchange,
    requestId: Effect.map(RequestId.Current, (id) => id ?? newRequestId()),
    newRequestId,
    retry: retrier.retry,
    ...Creates.make({ target: config.target, retrier, ledger, keys, grace }),
    grace,
    onInterrupt: config.onInterrupt,
    onPoll: (event) => Hooks.tell(hooks?.onPoll, event),
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
 *
 * export const program = Effect.gen(function* () {
 *   const transport = yield* Transport
 *   const response = yield* transport.exchange("v4", { method: "GET", url: "/runs/1/status" })
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
     * Makes one attempt of any request. Every status is a success. The body has been read to its end. The key is added
     * unless the request has its header. `execute` does the same for a request of Effect's HttpClient.
     *
     * @param version - The API version whose address is used.
     * @param request - The method, the path below that address, headers and a body.
     * @returns The response.
     * @throws `TransportError` if no response came within the timeouts of the client.
     * @example
     * ```ts
     * import { Transport } from "@webagent/core"
     * import * as Effect from "effect/Effect"
     *
     * export const isUp = Transport.use(({ exchange }) =>
     *   Effect.map(exchange("v4", { method: "GET", url: "/models" }), ({ status }) => status < 500)
     * )
     * ```
     */
    readonly exchange: (
      version: ApiVersion,
      request: PlainRequest & Partial<CallRequest>
    ) => Effect.Effect<Answered, TransportError>
    /** The id that `RequestId.provide` gives a call, else a new one: all its requests have it as `X-Request-Id`. */
    readonly requestId: Effect.Effect<string>
    /**
     * Makes a new request id.
     *
     * @returns The id, for the `X-Request-Id` of a call.
     * @example
     * ```ts
     * import { Transport } from "@webagent/core"
     * import * as Effect from "effect/Effect"
     *
     * export const id = Effect.map(Transport, ({ newRequestId }) => newRequestId())
     * ```
     */
    readonly newRequestId: () => string
    /** Tries a call that changes nothing again, as RetryPolicy says. */
    readonly retry: RetryPolicy.Retrier["retry"]
    /** Sends a create, by the rules for creates, and keeps the ledger. */
    readonly create: Creates.Creates["create"]
    /** Notes in the ledger that what was created is over: a browser that was stopped, a run that is terminal. */
    readonly closed: Creates.Creates["closed"]
    /**
     * Resources that were created through this Transport, by any service; a 404 for one of them is retried for 5
     * seconds.
     */
    readonly grace: Grace.Grace
    /** Resources that were created and aren't known to be over, with the responses to their creates. */
    readonly open: Creates.Creates["open"]
    /** Treatment of these resources when the program is interrupted. */
    readonly onInterrupt: ClientConfig["Service"]["onInterrupt"]
    /**
     * Calls the `onPoll` hook of the client, if there is one.
     *
     * @param event - The poll that received a response.
     * @returns Nothing.
     * @example
     * ```ts
     * import { Transport } from "@webagent/core"
     * import { Runs } from "@webagent/v4"
     * import * as Effect from "effect/Effect"
     *
     * export const poll = (id: string) =>
     *   Effect.gen(function* () {
     *     const { onPoll } = yield* Transport
     *     const { status } = yield* Effect.flatMap(Runs, (runs) => runs.status(id))
     *     onPoll({ kind: "run", id, status })
     *   })
     * ```
     */
    readonly onPoll: (event: Hooks.PollEvent) => void
    /** The text without the key, should a service echo it: as it is, or escaped as by JSON, a URL or HTML. */
    readonly redact: Redact.Redact
  }
>()("@webagent/core/Transport") {
  static readonly layer: Layer.Layer<Transport, never, ClientConfig | HttpClient.HttpClient> = Layer.effect(this, make)
}
