import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as WholeAnswer from "./WholeAnswer.ts"

type Fetch = typeof globalThis.fetch

const fetchOf = (context: Context.Context<never>, given: Fetch | undefined) =>
  Context.getOrUndefined(context, FetchHttpClient.Fetch) ?? given ?? globalThis.fetch

const initOf = (
  options: RequestInit | undefined,
  method: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  body: unknown
): RequestInit => {
  const init: RequestInit = { ...options, method, headers, signal }
  if (options?.headers !== undefined)
    init.headers = { ...Headers.fromInput(options.headers as Headers.Input), ...headers }
  if (body === undefined) return init
  // fetch counts the body itself, and browsers forbid anyone else to
  const { "content-length": _, ...uncounted } = init.headers as Record<string, string>
  return { ...init, headers: uncounted, body: body as BodyInit }
}

/** Sends with the fetch that a call is given, else with the given one, else with the global one. */
export const sendBy =
  (given: Fetch | undefined): WholeAnswer.SendWhole =>
  ({ body, headers, method, options, url }, context, { onAnswer, onFailure, onPhase }) => {
    const controller = new AbortController()
    const read = async () => {
      const response = await fetchOf(context, given)(url, initOf(options, method, headers, controller.signal, body))
      onPhase("body")
      return {
        status: response.status,
        header: (name: string) => response.headers.get(name) ?? undefined,
        headers: () => Object.fromEntries(response.headers),
        body: await response.arrayBuffer()
      }
    }
    read().then(onAnswer, (cause: unknown) => onFailure(cause))
    return () => controller.abort()
  }

const failureOf = (request: HttpClientRequest.HttpClientRequest) => (cause: unknown) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })

type ToResponse = (request: HttpClientRequest.HttpClientRequest, response: Response) => object

/** The same by Effect's way, for what is not a plain request and its whole answer. */
const clientBy = (given: Fetch | undefined, toResponse: ToResponse) =>
  HttpClient.make((request, url, signal, { context }) => {
    const { body, headers, method } = request
    const fail = failureOf(request)
    if (headers["upgrade"] !== undefined) return Effect.fail(fail(new Error("fetch cannot leave HTTP")))
    const options = Context.getOrUndefined(context, FetchHttpClient.RequestInit)
    const send = (body: unknown) =>
      Effect.map(
        Effect.tryPromise({
          try: () => fetchOf(context, given)(url, initOf(options, method, headers, signal, body)),
          catch: fail
        }),
        (response) => toResponse(request, response) as HttpClientResponse.HttpClientResponse
      )
    switch (body._tag) {
      case "Empty":
        return send(undefined)
      case "FormData":
        return send(body.formData)
      case "Stream":
        return Effect.flatMap(Effect.mapError(Stream.mkArrayBuffer(body.stream), fail), send)
      default:
        return send(body.body)
    }
  })

const layerBy = (toResponse: ToResponse) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(Effect.context<never>(), (context) => {
      const given = Context.getOrUndefined(context, FetchHttpClient.Fetch)
      return WholeAnswer.attach(clientBy(given, toResponse), sendBy(given))
    })
  )

/**
 * fetch, which is everywhere. It is FetchHttpClient.layer of Effect at less CPU: FetchHttpClient.Fetch and RequestInit
 * are heeded, and a body that is a stream is sent when it has ended.
 */
export const layerFetch: Layer.Layer<HttpClient.HttpClient> = /* @__PURE__ */ layerBy(HttpClientResponse.fromWeb)

/** What a Transport asks of a response, and no more: the rest is 2 kB. */
const toBare: ToResponse = (request, response) => ({
  status: response.status,
  headers: Headers.fromInput(response.headers),
  arrayBuffer: Effect.tryPromise({ try: () => response.arrayBuffer(), catch: failureOf(request) })
})

/** fetch for a Transport, and for nothing else. */
export const layerHttp: Layer.Layer<HttpClient.HttpClient> = /* @__PURE__ */ layerBy(toBare)
