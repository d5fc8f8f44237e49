import type { ApiVersion } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import type { Answered } from "./Answered.ts"
import type { Transport } from "./Transport.ts"
import type { TransportError } from "./TransportError.ts"

/** The answer as Effect's HttpClient gives it; its request is without the key. */
export const toResponse = (answered: Answered): HttpClientResponse.HttpClientResponse => {
  const { body, request } = answered.parts()
  // a new one: the client's own holds the request that was sent, key and all
  const detached = new Response(body as BodyInit, { headers: answered.headers() })
  return Object.create(HttpClientResponse.fromWeb(request, detached), {
    status: { value: answered.status, enumerable: true }
  })
}

/** `Transport.exchange`, for an answer that is wanted as Effect's HttpClient gives it. */
export const execute = (
  { exchange }: Transport["Service"],
  version: ApiVersion,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<HttpClientResponse.HttpClientResponse, TransportError> =>
  Effect.map(exchange(version, request), toResponse)
