import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as Layer from "effect/Layer"
import * as WholeAnswer from "./WholeAnswer.ts"

/** Sends with the fetch that a call is given, else with the given one, else with the global one. */
export const sendBy =
  (given: typeof globalThis.fetch | undefined): WholeAnswer.SendWhole =>
  (request, context, { onEnd, onPhase }) => {
    const fetch = Context.getOrUndefined(context, FetchHttpClient.Fetch) ?? given ?? globalThis.fetch
    const controller = new AbortController()
    // fetch counts the body itself, and browsers forbid anyone else to
    const { "content-length": _, ...headers } = request.headers
    const read = async () => {
      const response = await fetch(request.url, {
        ...Context.getOrUndefined(context, FetchHttpClient.RequestInit),
        method: request.method,
        headers,
        signal: controller.signal,
        ...(request.body._tag === "Uint8Array" ? { body: request.body.body as BodyInit } : {})
      })
      onPhase("body")
      return Effect.succeed({
        status: response.status,
        header: (name: string) => response.headers.get(name) ?? undefined,
        headers: () => Object.fromEntries(response.headers),
        body: await response.arrayBuffer()
      })
    }
    const fail = (cause: unknown) =>
      Effect.fail(
        new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
      )
    read().then(onEnd, (cause: unknown) => onEnd(fail(cause)))
    return () => controller.abort()
  }

/**
 * fetch, which is everywhere. It is FetchHttpClient.layer of Effect at less CPU: FetchHttpClient.Fetch and RequestInit
 * are heeded.
 */
export const layerFetch: Layer.Layer<HttpClient.HttpClient> = Layer.effect(
  HttpClient.HttpClient,
  Effect.gen(function* () {
    const given = Context.getOrUndefined(yield* Effect.context<never>(), FetchHttpClient.Fetch)
    return WholeAnswer.attach(yield* HttpClient.HttpClient, sendBy(given))
  })
).pipe(Layer.provide(FetchHttpClient.layer))

/** What a client sends with where there is no undici. */
export const layerHttp = layerFetch
