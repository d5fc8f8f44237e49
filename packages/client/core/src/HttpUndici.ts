import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Undici from "undici"
import { ClientConfig } from "./ClientConfig.ts"
import * as CopiedErrors from "./CopiedErrors.ts"
import * as ContentCoding from "./ContentCoding.ts"
import * as HttpFetch from "./HttpFetch.ts"
import { innermost } from "./Innermost.ts"
import type * as WholeAnswer from "./WholeAnswer.ts"

CopiedErrors.recognize()

const joined = (value: string | ReadonlyArray<string> | undefined) =>
  typeof value === "object" ? value.join(", ") : value

/** Returns whether undici refused to send a request, for example because of an invalid header. */
const isRefusal = (cause: unknown) =>
  cause instanceof Error &&
  "code" in cause &&
  (cause.code === "UND_ERR_INVALID_ARG" || cause.code === "UND_ERR_NOT_SUPPORTED")

/** Says of an error that it came before anything was sent: those of a certificate or of a proxy do not say so. */
const unsent = (cause: unknown): unknown => {
  const inner = innermost(cause)
  if (!(inner instanceof Error) || ("syscall" in inner && inner.syscall === "getaddrinfo")) return cause
  return Object.assign(inner, { syscall: "connect" })
}

/** Sends with undici's dispatch: no stream, no promise and no signal is made for an answer that is read whole. */
const sendBy =
  (dispatcher: Undici.Dispatcher): WholeAnswer.SendWhole =>
  ({ body, headers: sent, method, url }, _settings, listener) => {
    let controller: Undici.Dispatcher.DispatchController | undefined
    let interrupted: Error | undefined
    let status = 0
    let headers: Parameters<NonNullable<Undici.Dispatcher.DispatchHandler["onResponseStart"]>>[2] = {}
    const chunks: Array<Buffer> = []

    let received_bytes = 0

    const fail = (cause: unknown) =>
      controller === undefined ? listener.onFailure(unsent(cause), isRefusal(cause)) : listener.onFailure(cause)
    // undici tells when it begins to send: what ends before that has done nothing
    listener.onPhase("connect")
    try {
      const { origin, pathname, search } = new URL(url)
      dispatcher.dispatch(
        {
          origin,
          path: `${pathname}${search}`,
          method,
          headers: sent,
          body: body ?? null
        },
        {
          onRequestStart: (started) => {
            controller = started
            listener.onPhase("headers")
            if (interrupted !== undefined) started.abort(interrupted)
          },
          onResponseStart: (_, code, received) => {
            if (code < 200) return
            status = code
            headers = received
            listener.onPhase("body")
          },
          onResponseData: (started, chunk) => {
            received_bytes += chunk.length
            if (received_bytes > ContentCoding.most_bytes) started.abort(new ContentCoding.TooLarge())
            else chunks.push(chunk)
          },
          onResponseEnd: () => {
            const received = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
            const coding = joined(headers["content-encoding"])
            const decoded = coding === undefined ? Result.succeed(received) : ContentCoding.decode(received, coding)
            if (Result.isFailure(decoded)) return fail(decoded.failure)
            listener.onAnswer({
              status,
              header: (name) => joined(headers[name]),
              headers: () =>
                Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, joined(value) ?? ""])),
              body: decoded.success
            })
          },
          onResponseError: (_, cause) => fail(cause)
        }
      )
    } catch (cause) {
      fail(cause)
    }
    return () => {
      interrupted = new Error("The request was interrupted")
      controller?.abort(interrupted)
    }
  }

/**
 * Returns whether Node's fetch uses the proxies that the environment names; flags take precedence over the variable.
 */
const isProxied = () => {
  const flags = [...(process.env["NODE_OPTIONS"] ?? "").split(" "), ...process.execArgv]
  const last = flags.findLast((flag) => flag === "--use-env-proxy" || flag === "--no-use-env-proxy")
  return last === undefined ? process.env["NODE_USE_ENV_PROXY"] === "1" : last === "--use-env-proxy"
}

/**
 * Connections to a proxy. A tunnel that is cut before it stands fails with undici's own error for a lost connection, at
 * which undici 7 opens the next at once, without end; at any other error it gives up.
 */
const toProxy =
  ({ Pool }: typeof Undici) =>
  (origin: URL, options: object) => {
    const pool = new Pool(origin, options)
    const connect = pool.connect.bind(pool)
    return Object.assign(pool, {
      connect: (options: Undici.Dispatcher.ConnectOptions) =>
        connect(options).catch((cause: unknown) => {
          throw new Error("The proxy closed the connection", { cause })
        })
    })
  }

/** Connections of a client of its own, which end with it; idle ones keep no process alive. */
const dispatcherOf = (undici: typeof Undici) =>
  Effect.gen(function* () {
    const { timeouts } = yield* ClientConfig
    const options = {
      // polls of one run are up to 15 s apart; undici's own 4 s would connect again for each
      keepAliveTimeout: 20_000,
      // the caller bounds the time
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: Duration.toMillis(timeouts.connect ?? "10 seconds") }
    }
    return yield* Effect.acquireRelease(
      // what sends Node's fetch through a proxy sends us through it
      Effect.sync(() =>
        isProxied()
          ? // a tunnel is for what is encrypted, as for Node's fetch
            new undici.EnvHttpProxyAgent({ ...options, proxyTunnel: false, clientFactory: toProxy(undici) })
          : new undici.Agent(options)
      ),
      (dispatcher) => Effect.promise(() => dispatcher.destroy())
    )
  })

/** The fetch of undici, for what is not a plain request and its whole answer. */
const fetchBy = ({ fetch }: typeof Undici, dispatcher: Undici.Dispatcher) =>
  ((address: string, init: Undici.RequestInit) =>
    fetch(address, { ...init, dispatcher })) as object as typeof globalThis.fetch

/** The same, but for calls that are given a fetch, as by a test. */
const sendUnlessGiven = (dispatcher: Undici.Dispatcher): WholeAnswer.SendWhole => {
  const send = sendBy(dispatcher)
  const byFetch = HttpFetch.sendBy(undefined)
  return (request, settings, listener) => (settings.fetch === undefined ? send : byFetch)(request, settings, listener)
}

const layerBy = (undici: typeof Undici, send: typeof sendBy) =>
  Layer.unwrap(
    Effect.map(dispatcherOf(undici), (dispatcher) =>
      HttpFetch.layerWith(send(dispatcher), fetchBy(undici, dispatcher), true)
    )
  )

/** Reading it takes as long as half of a client: only who builds one that sends waits for it. */
const load = Effect.tryPromise({
  try: async () => {
    const undici = await import("undici")
    // Bun has a module of this name of its own
    if (!("dispatch" in undici.Agent.prototype)) throw new Error("What this runtime has by its name sends nothing")
    return undici
  },
  catch: (cause) =>
    new Error("undici cannot be loaded. Install it beside @webagent/core, or take layerFetch.", { cause })
})

/** undici, and no other. */
export const layerUndici: Layer.Layer<HttpClient.HttpClient, never, ClientConfig> = Layer.unwrap(
  Effect.map(Effect.orDie(load), (undici) => layerBy(undici, sendBy))
)

/** fetch in place of undici: who has set a time that only undici holds is told aloud. */
const withoutUndici = ({ cause }: Error) =>
  Effect.gen(function* () {
    const { timeouts } = yield* ClientConfig
    const message = "undici cannot be loaded, so fetch sends the requests"
    yield* timeouts.connect === undefined
      ? Effect.logDebug(`${message}.`, cause)
      : Effect.logWarning(`${message}, and timeouts.connect is not held.`, cause)
    return HttpFetch.layerHttp
  })

/**
 * undici, unless an application provides a FetchHttpClient.Fetch or RequestInit, and where it can be loaded: a bundle
 * may have left it out, and an old Node refuses it. fetch is always there.
 */
export const layerHttp: Layer.Layer<HttpClient.HttpClient, never, ClientConfig> = Layer.unwrap(
  Effect.contextWith((context: Context.Context<ClientConfig>) =>
    Context.getOrUndefined(context, FetchHttpClient.Fetch) === undefined &&
    Context.getOrUndefined(context, FetchHttpClient.RequestInit) === undefined
      ? Effect.matchEffect(load, {
          onSuccess: (undici) => Effect.succeed(layerBy(undici, sendUnlessGiven)),
          onFailure: withoutUndici
        })
      : Effect.succeed(HttpFetch.layerHttp)
  )
)
