import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { apiKeyHeader } from "@webagent/contract/Wire"
import { Server, SimulatedService } from "@webagent/simulation"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpServer from "effect/http/HttpServer"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { createServer } from "node:http"
import type { Exchange } from "../src/Cassette.ts"
import * as Recorder from "../src/Recorder.ts"

export const key = "wak_test"

/** An app on a free port of this machine; answers its address. */
export const served = <E>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, HttpServerRequest.HttpServerRequest>
) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(NodeHttpServer.layer(() => createServer(), { port: 0, host: "127.0.0.1" }))
    yield* Effect.provideContext(HttpServer.serveEffect(app), context)
    return HttpServer.formatAddress(Context.get(context, HttpServer.HttpServer).address)
  })

/** The simulated service on a socket; answers its address. */
export const simulated = Effect.fnUntraced(function* (options: Parameters<typeof SimulatedService.layer>[0] = {}) {
  const context = yield* Layer.build(Layer.fresh(SimulatedService.layer({ apiKeys: [key], ...options })))
  return Context.get(context, Server).address
})

/** A client over a real socket. */
export const client = Effect.map(Layer.build(NodeHttpClient.layerUndici), (context) =>
  Context.get(context, HttpClient.HttpClient)
)

/** Sends a request with the key, and reads the answer whole. */
export const ask = Effect.fnUntraced(function* (
  http: HttpClient.HttpClient,
  method: "GET" | "POST" | "PATCH",
  url: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {}
) {
  const request = HttpClientRequest.make(method)(url, { headers: { [apiKeyHeader]: key, ...headers } })
  const response = yield* http.execute(body === undefined ? request : HttpClientRequest.bodyJsonUnsafe(request, body))
  const text = yield* response.text
  const isJson = response.headers["content-type"]?.startsWith("application/json") === true
  return { status: response.status, text, json: isJson ? JSON.parse(text) : undefined }
})

/** A client that records into a list. */
export const recording = Effect.fnUntraced(function* () {
  const exchanges: Array<Exchange> = []
  const http = yield* Recorder.make(yield* client, {
    apiKeyHeader,
    keep: (exchange) => Effect.sync(() => void exchanges.push(exchange))
  })
  return { http, exchanges }
})
