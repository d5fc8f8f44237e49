import type { ApiVersion } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as UrlParams from "effect/http/UrlParams"
import * as Stream from "effect/Stream"
import type { Answered } from "./Answered.ts"
import type { Transport } from "./Transport.ts"
import { InvalidRequest, TransportError } from "./TransportError.ts"

/**
 * Converts a response to one of Effect's `HttpClient`. Its request has neither the key nor a body.
 *
 * @param answered - The response of `exchange`.
 * @returns The response.
 * @example
 * ```ts
 * import { toResponse, Transport } from "@webagent/core"
 * import * as Effect from "effect/Effect"
 *
 * export const models = Transport.use(({ exchange }) =>
 *   exchange("v4", { method: "GET", url: "/models" }).pipe(Effect.flatMap((response) => toResponse(response).json))
 * )
 * ```
 */
export const toResponse = (answered: Answered): HttpClientResponse.HttpClientResponse => {
  const { body, request } = answered.parts()
  const original = HttpClientRequest.make(request.method as "GET")(request.url, { headers: request.headers })
  // a new one: the client's own holds the request that was sent, key and all
  const detached = new Response(body as BodyInit, { headers: answered.headers() })
  return Object.create(HttpClientResponse.fromWeb(original, detached), {
    status: { value: answered.status, enumerable: true }
  })
}

interface Body {
  readonly body: Uint8Array | undefined
  readonly type: string | null
}

/** A body as bytes, with its type where the request does not say it. */
const bytesOf = (body: BodyInit) =>
  Effect.tryPromise({
    try: async () => {
      const written = new Response(body)
      const type = written.headers.get("content-type")
      return { body: new Uint8Array(await written.arrayBuffer()), type }
    },
    catch: (cause) => cause
  })

const bodyOf = ({ body }: HttpClientRequest.HttpClientRequest): Effect.Effect<Body, unknown> => {
  switch (body._tag) {
    case "Empty":
      return Effect.succeed({ body: undefined, type: null })
    case "Uint8Array":
      return Effect.succeed({ body: body.body, type: null })
    case "FormData":
      return bytesOf(body.formData)
    case "Stream":
      return Effect.flatMap(Stream.mkArrayBuffer(body.stream), bytesOf)
    case "Raw":
      return bytesOf(body.body as BodyInit)
  }
}

/**
 * Sends a request of Effect's `HttpClient` with the address and the key of the client. Makes one attempt, and returns
 * every status as a response.
 *
 * @param transport - The transport of the client.
 * @param version - The API version whose address is used.
 * @param request - The request. Its address is a path below that of the version. Its body is read before it is sent.
 * @returns The response.
 * @throws `TransportError` if there is no usable response.
 * @example
 * ```ts
 * import { execute, Transport } from "@webagent/core"
 * import * as HttpClientRequest from "effect/http/HttpClientRequest"
 *
 * export const program = Transport.use((transport) =>
 *   execute(transport, "v4", HttpClientRequest.get("/models"))
 * )
 * ```
 */
export const execute = (
  { baseUrls, exchange }: Transport["Service"],
  version: ApiVersion,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<HttpClientResponse.HttpClientResponse, TransportError> => {
  const { headers, method, url, urlParams } = request
  const query = UrlParams.toString(urlParams)
  const address = query === "" ? url : `${url}${url.includes("?") ? "&" : "?"}${query}`
  return bodyOf(request).pipe(
    Effect.mapError((cause) => {
      const { origin, pathname } = new URL(baseUrls[version])
      const reason = new InvalidRequest({ issue: `the body cannot be read: ${String(cause)}` })
      return new TransportError({ method, path: `${pathname}${url}`, origin, attempts: 0, reason })
    }),
    Effect.flatMap(({ body, type }) =>
      exchange(version, {
        method,
        url: address,
        headers: type === null ? headers : { "content-type": type, ...headers },
        body
      })
    ),
    Effect.map(toResponse)
  )
}
