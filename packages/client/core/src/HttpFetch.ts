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
import { most_bytes, TooLarge } from "./ContentCoding.ts"
import * as WholeAnswer from "./WholeAnswer.ts"

type Fetch = typeof globalThis.fetch

const fetchOf = (context: Context.Context<never>, given: Fetch | undefined) =>
  Context.getOrUndefined(context, FetchHttpClient.Fetch) ?? given ?? globalThis.fetch

/** Node's own fetches, by which a request that is answered 421 is sent again at once, a POST as well. */
const isNode =
  typeof process === "object" && process.release?.name === "node" && !("Bun" in globalThis) && !("Deno" in globalThis)

/** What fetch takes as a body; what can be read once only is not sent again behind our back. */
const bodyOf = (body: unknown, sendsAgain: boolean) => {
  if (!sendsAgain || !(body instanceof Uint8Array)) return { body: body as BodyInit }
  const stream = new ReadableStream({
    start: (controller) => {
      controller.enqueue(body)
      controller.close()
    }
  })
  return { body: stream, duplex: "half" }
}

const initOf = (
  options: RequestInit | undefined,
  method: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  body: unknown,
  sendsAgain: boolean
): RequestInit => {
  const init: RequestInit = { ...options, method, headers, signal }
  if (options?.headers !== undefined)
    init.headers = { ...Headers.fromInput(options.headers as Headers.Input), ...headers }
  if (body === undefined) return init
  const isStreamed = sendsAgain && method === "POST"
  // fetch counts the body itself, and browsers forbid anyone else to
  const { "content-length": _, ...uncounted } = init.headers as Record<string, string>
  const counted = isStreamed && body instanceof Uint8Array ? { "content-length": String(body.length) } : {}
  return { ...init, headers: { ...uncounted, ...counted }, ...bodyOf(body, isStreamed) }
}

/** The whole body, unless it is larger than the client reads. Only a length that is sent says that beforehand. */
const readBody = async (
  response: Response,
  readWhole: () => Promise<ArrayBuffer> = () => response.arrayBuffer()
): Promise<ArrayBuffer | Uint8Array> => {
  const length = response.headers.get("content-length")
  const isBounded = length !== null && Number(length) <= most_bytes && response.headers.get("content-encoding") === null
  // another library's fetch may give another kind of stream
  const reader = isBounded ? undefined : response.body?.getReader?.()
  if (reader === undefined) return readWhole()
  const chunks: Array<Uint8Array> = []
  let received_bytes = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    received_bytes += part.value.length
    if (received_bytes > most_bytes) {
      reader.cancel().catch(() => undefined)
      throw new TooLarge()
    }
    chunks.push(part.value)
  }
  const [only] = chunks
  if (chunks.length === 1 && only !== undefined) return only
  const whole = new Uint8Array(received_bytes)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

/** Sends with the fetch that a call is given, else with the given one, else with the global one. */
export const sendBy =
  (given: Fetch | undefined): WholeAnswer.SendWhole =>
  ({ body, headers, method, options, url }, context, { onAnswer, onFailure, onPhase }) => {
    const controller = new AbortController()
    const read = async () => {
      const fetch = fetchOf(context, given)
      const sendsAgain = isNode && fetch === globalThis.fetch
      const response = await fetch(url, initOf(options, method, headers, controller.signal, body, sendsAgain))
      onPhase("body")
      return {
        status: response.status,
        header: (name: string) => response.headers.get(name) ?? undefined,
        headers: () => Object.fromEntries(response.headers),
        body: await readBody(response)
      }
    }
    read().then(onAnswer, (cause: unknown) => onFailure(cause))
    return () => controller.abort()
  }

const failureOf = (request: HttpClientRequest.HttpClientRequest) => (cause: unknown) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })

type ToResponse = (request: HttpClientRequest.HttpClientRequest, response: Response) => object

/** The same response, with a body that is not read without end. */
const bounded = (response: Response): Response => {
  const whole = response.arrayBuffer.bind(response)
  return Object.defineProperty(response, "arrayBuffer", { value: () => readBody(response, whole) })
}

/** The same by Effect's way, for what is not a plain request and its whole answer. */
export const clientBy = (given: Fetch | undefined, toResponse: ToResponse, isUndici = false): HttpClient.HttpClient =>
  HttpClient.make((request, url, signal, { context }) => {
    const { body, headers, method } = request
    const fail = failureOf(request)
    if (headers["upgrade"] !== undefined) return Effect.fail(fail(new Error("fetch cannot leave HTTP")))
    const options = Context.getOrUndefined(context, FetchHttpClient.RequestInit)
    const fetch = fetchOf(context, given)
    const sendsAgain = isNode && (fetch === globalThis.fetch || (isUndici && fetch === given))
    const send = (body: unknown) =>
      Effect.map(
        Effect.tryPromise({
          try: () => fetch(url, initOf(options, method, headers, signal, body, sendsAgain)),
          catch: fail
        }),
        (response) => toResponse(request, bounded(response)) as HttpClientResponse.HttpClientResponse
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
