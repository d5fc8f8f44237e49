import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as Layer from "effect/Layer"
import type * as Undici from "undici"
import { ClientConfig } from "./ClientConfig.ts"
import { layerFetch } from "./HttpFetch.ts"
import * as WholeAnswer from "./WholeAnswer.ts"

const joined = (value: string | ReadonlyArray<string> | undefined) =>
  typeof value === "object" ? value.join(", ") : value

/** Sends with undici's dispatch: no stream, no promise and no signal is made for an answer that is read whole. */
const sendBy =
  (dispatcher: Undici.Dispatcher): WholeAnswer.SendWhole =>
  (request, _context, { onEnd, onHeaders }) => {
    let controller: Undici.Dispatcher.DispatchController | undefined
    let interrupted: Error | undefined
    let status = 0
    let headers: Parameters<NonNullable<Undici.Dispatcher.DispatchHandler["onResponseStart"]>>[2] = {}
    const chunks: Array<Buffer> = []

    const fail = (cause: unknown) =>
      onEnd(
        Effect.fail(
          new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
        )
      )
    try {
      const { origin, pathname, search } = new URL(request.url)
      dispatcher.dispatch(
        {
          origin,
          path: `${pathname}${search}`,
          method: request.method,
          headers: request.headers,
          body: request.body._tag === "Uint8Array" ? request.body.body : null
        },
        {
          onRequestStart: (started) => {
            controller = started
            if (interrupted !== undefined) started.abort(interrupted)
          },
          onResponseStart: (_, code, received) => {
            if (code < 200) return
            status = code
            headers = received
            onHeaders()
          },
          onResponseData: (_, chunk) => void chunks.push(chunk),
          onResponseEnd: () =>
            onEnd(
              Effect.succeed({
                status,
                header: (name) => joined(headers[name]),
                headers: () =>
                  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, joined(value) ?? ""])),
                body: chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
              })
            ),
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

/** Connections of a client of its own, which end with it; idle ones keep no process alive. */
const dispatcherOf = ({ Agent, EnvHttpProxyAgent }: typeof Undici) =>
  Effect.gen(function* () {
    const { timeouts } = yield* ClientConfig
    const options = {
      // polls of one run are up to 15 s apart; undici's own 4 s would connect again for each
      keepAliveTimeout: 20_000,
      // whoever sends bounds the time
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: Duration.toMillis(timeouts.connect ?? "10 seconds") }
    }
    return yield* Effect.acquireRelease(
      // what sends Node's fetch through a proxy sends us through it
      Effect.sync(() =>
        process.env["NODE_USE_ENV_PROXY"] === "1" ? new EnvHttpProxyAgent(options) : new Agent(options)
      ),
      (dispatcher) => Effect.promise(() => dispatcher.destroy())
    )
  })

/** The fetch of undici, for what is not a plain request and its whole answer. */
const fetchBy = ({ fetch }: typeof Undici, dispatcher: Undici.Dispatcher) =>
  ((address: string, init: Undici.RequestInit) =>
    fetch(address, { ...init, dispatcher })) as object as typeof globalThis.fetch

const layerBy = (undici: typeof Undici) =>
  Layer.unwrap(
    Effect.map(dispatcherOf(undici), (dispatcher) =>
      Layer.effect(
        HttpClient.HttpClient,
        Effect.map(HttpClient.HttpClient, (client) => WholeAnswer.attach(client, sendBy(dispatcher)))
      ).pipe(
        Layer.provide(FetchHttpClient.layer),
        Layer.provide(Layer.succeed(FetchHttpClient.Fetch, fetchBy(undici, dispatcher)))
      )
    )
  )

/** Reading it takes as long as half of a client: only who sends something waits for it. */
const load = Effect.tryPromise(() => import("undici"))

/** undici, and no other. */
export const layerUndici: Layer.Layer<HttpClient.HttpClient, never, ClientConfig> = Layer.unwrap(
  Effect.map(Effect.orDie(load), layerBy)
)

/**
 * undici, unless an application provides a FetchHttpClient.Fetch, and where it can be loaded: a bundle may have left it
 * out, and an old Node refuses it. fetch is always there.
 */
export const layerHttp: Layer.Layer<HttpClient.HttpClient, never, ClientConfig> = Layer.unwrap(
  Effect.contextWith((context: Context.Context<never>) =>
    Context.getOrUndefined(context, FetchHttpClient.Fetch) === undefined
      ? Effect.match(load, { onSuccess: layerBy, onFailure: () => layerFetch })
      : Effect.succeed(layerFetch)
  )
)
