import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { HttpMethod } from "effect/http/HttpMethod"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

// of one connection, not of the request: the two connections of a proxy have their own
const ofConnection = new Set([
  "connection",
  "content-length",
  "content-encoding",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  // the answer is to be read
  "accept-encoding"
])

const passed = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.has(name)))

/**
 * An HTTP app that passes each request on to the service at `target`, with the key that the caller sent, and answers as it
 * did. A service that gives no answer is a 502 with the reason.
 */
export const make = (client: HttpClient.HttpClient, target: string) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const bytes = new Uint8Array(yield* request.arrayBuffer)
    const { "content-type": type = "application/json" } = request.headers
    const forwarded = HttpClientRequest.make(request.method as HttpMethod)(`${target}${request.url}`, {
      headers: passed(request.headers)
    })
    const response = yield* client.execute(
      bytes.length === 0 ? forwarded : HttpClientRequest.bodyUint8Array(forwarded, bytes, type)
    )
    const { "content-type": contentType, ...headers } = passed(response.headers)
    return HttpServerResponse.uint8Array(new Uint8Array(yield* response.arrayBuffer), {
      status: response.status,
      headers,
      ...(contentType === undefined ? {} : { contentType })
    })
  }).pipe(
    Effect.catchTag("HttpClientError", (error) =>
      Effect.succeed(
        HttpServerResponse.jsonUnsafe({ detail: `${target} gave no answer: ${error.message}` }, { status: 502 })
      )
    )
  )
