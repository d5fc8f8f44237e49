import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { most_bytes, TooLarge } from "./ContentCoding.ts"
import * as HttpTags from "./HttpTags.ts"
import * as WholeAnswer from "./WholeAnswer.ts"

type Fetch = typeof globalThis.fetch

/** Node's own fetches, by which a request that is answered 421 is sent again at once, a POST as well. */
const isNode =
  typeof process === "object" && process.release?.name === "node" && !("Bun" in globalThis) && !("Deno" in globalThis)

const sendsAgain = (fetch: Fetch) => isNode && fetch === globalThis.fetch

/** Gives fetch the body of a POST so that it can be read once only: then it is not sent again behind our back. */
const once = (init: RequestInit): RequestInit => {
  const { body, method } = init
  if (method !== "POST" || !(body instanceof Uint8Array)) return init
  const stream = new ReadableStream({
    start: (controller) => {
      controller.enqueue(body)
      controller.close()
    }
  })
  const headers = { ...(init.headers as Record<string, string>), "content-length": String(body.length) }
  return { ...init, headers, body: stream, duplex: "half" } as RequestInit
}

const initOf = ({ body, headers, method, options }: WholeAnswer.WholeRequest, signal: AbortSignal): RequestInit => {
  const init: RequestInit = { ...options, method, headers, signal }
  if (options.headers !== undefined) init.headers = { ...Object.fromEntries(new Headers(options.headers)), ...headers }
  if (body === undefined) return init
  // fetch counts the body itself, and browsers forbid anyone else to
  const { "content-length": _, ...uncounted } = init.headers as Record<string, string>
  return { ...init, headers: uncounted, body: body as BodyInit }
}

/** The body as a stream, where it may be larger than the client reads. Only a length that is sent says that beforehand. */
const unboundedOf = ({ body, headers }: Response): ReadableStreamDefaultReader<Uint8Array> | undefined => {
  const length = headers.get("content-length")
  const isBounded = length !== null && Number(length) <= most_bytes && headers.get("content-encoding") === null
  // another library's fetch may give another kind of stream
  return isBounded ? undefined : body?.getReader?.()
}

const readParts = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array> => {
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
  (clientFetch: Fetch | undefined): WholeAnswer.SendWhole =>
  (request, settings, listener) => {
    const controller = new AbortController()
    const onFailure = (cause: unknown) => listener.onFailure(cause)
    const onResponse = (response: Response) => {
      try {
        // read here, where what throws is a failure
        const { headers, status } = response
        const header = (name: string) => headers.get(name) ?? undefined
        listener.onPhase("body")
        const parts = unboundedOf(response)
        const body = parts === undefined ? response.arrayBuffer() : readParts(parts)
        // a mock's `arrayBuffer` may give the bytes themselves
        Promise.resolve(body).then(
          (body) => listener.onAnswer({ status, body, header, headers: () => Object.fromEntries(headers) }),
          onFailure
        )
      } catch (cause) {
        onFailure(cause)
      }
    }
    try {
      // with an upgrade, fetch would fail in its own words or leave the header out
      if (request.headers["upgrade"] !== undefined) throw new Error("fetch cannot leave HTTP")
      const fetch = settings.fetch ?? clientFetch ?? globalThis.fetch
      const init = initOf(request, controller.signal)
      // no async function, and no promise of a promise: each would be one more for every read. That of another library's
      // fetch may be none
      Promise.resolve(fetch(request.url, sendsAgain(fetch) ? once(init) : init)).then(onResponse, onFailure)
    } catch (cause) {
      onFailure(cause)
    }
    return () => controller.abort()
  }

/** The same fetch for an HttpClient: a POST is not sent again, and no body is read without end. */
const guarded =
  (clientFetch: Fetch | undefined, isUndici: boolean): Fetch =>
  async (input, init = {}) => {
    const fetch = clientFetch ?? globalThis.fetch
    const response = await fetch(input, isUndici || sendsAgain(fetch) ? once(init) : init)
    const whole = response.arrayBuffer.bind(response)
    const arrayBuffer = () => {
      const parts = unboundedOf(response)
      return parts === undefined ? whole() : readParts(parts)
    }
    return Object.defineProperty(response, "arrayBuffer", { value: arrayBuffer })
  }

/** A whole HttpClient over a fetch; a Transport sends with `send`. */
export const layerWith = (
  send: WholeAnswer.SendWhole,
  clientFetch: Fetch | undefined,
  isUndici = false
): Layer.Layer<HttpClient.HttpClient> =>
  Layer.effect(
    HttpTags.HttpClient,
    Effect.map(HttpTags.HttpClient, (client) => WholeAnswer.attach(client, send))
  ).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(Layer.succeed(FetchHttpClient.Fetch, guarded(clientFetch, isUndici)))
  )

const givenFetch = Effect.contextWith((context: Context.Context<never>) =>
  Effect.succeed(Context.getOrUndefined(context, FetchHttpClient.Fetch))
)

/**
 * fetch, which is everywhere. For a Transport it is FetchHttpClient.layer of Effect at less CPU; FetchHttpClient.Fetch and
 * RequestInit are heeded.
 */
export const layerFetch: Layer.Layer<HttpClient.HttpClient> = /* @__PURE__ */ (() =>
  Layer.unwrap(Effect.map(givenFetch, (clientFetch) => layerWith(sendBy(clientFetch), clientFetch))))()

/** fetch for a Transport, and for nothing else. */
export const layerHttp: Layer.Layer<HttpClient.HttpClient> = /* @__PURE__ */ (() =>
  Layer.effect(
    HttpTags.HttpClient,
    Effect.map(givenFetch, (clientFetch) => WholeAnswer.only(sendBy(clientFetch)))
  ))()
