import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as McpServer from "effect/ai/McpServer"
import * as Option from "effect/Option"
import { apiKeyHeader, basePath } from "@webagent/contract/Wire"
import { originOf } from "../api/Origin.ts"
import { about } from "./about.ts"
import { nothing, Operations, over } from "./Operations.ts"
import { type App, bounded, keyOf, sessionHeader } from "./Sessions.ts"
import * as Tools from "./Tools.ts"

const caller = Effect.map(Effect.serviceOption(HttpServerRequest.HttpServerRequest), Option.getOrUndefined)

/** Sends requests to the app itself, in the name of the host that the caller knows: links in answers begin with it. */
const clientOf = (app: App) =>
  HttpClient.make((request, url) =>
    Effect.gen(function* () {
      const outer = yield* caller
      const inner = HttpServerRequest.fromClientRequest(request)
      const { host, protocol } = outer === undefined ? url : new URL(yield* originOf(outer))
      return yield* app.pipe(
        Effect.scoped,
        Effect.provideService(
          HttpServerRequest.HttpServerRequest,
          inner.modify({
            headers: Headers.set(inner.headers, "host", host),
            protocol: protocol === "https:" ? "https" : "http"
          })
        )
      )
    }).pipe(
      Effect.mapBoth({
        onFailure: (cause) =>
          new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) }),
        onSuccess: (response) => HttpServerResponse.toClientResponse(response, { request })
      })
    )
  )

/**
 * The MCP endpoint over the app. A tool is a request of the app with the key of its caller. A session is opened only
 * for a key that the app lets read, so that no other caller can make the server remember sessions.
 */
export const make = (app: App, { path, version }: { readonly path: `/${string}`; readonly version: string }) => {
  const client = clientOf(app)
  const key = Effect.map(caller, (request) => (request === undefined ? "" : keyOf(request)))
  const operations = Layer.succeed(Operations, over(client, "http://localhost", key))
  const served = McpServer.layerHttp({
    ...about(version),
    path,
    allowSessionTermination: true,
    allowSubscriptions: false,
    registrations: Layer.provide(Tools.layer, operations)
  })
  return Effect.map(HttpRouter.toHttpEffect(served), (unbounded): App => {
    const mcp = bounded(unbounded, path)
    return Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (request.headers[sessionHeader] !== undefined) return yield* mcp
      const probe = yield* client.get(`http://localhost${basePath.v4}${nothing}`, {
        headers: { [apiKeyHeader]: keyOf(request) }
      })
      return [401, 403, 429, 503].includes(probe.status) ? HttpServerResponse.fromClientResponse(probe) : yield* mcp
    })
  })
}
