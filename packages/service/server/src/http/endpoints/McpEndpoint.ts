import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Scope from "effect/Scope"
import { type App, sessionHeader } from "../../mcp/Sessions.ts"
import { Nodes, type NodesService } from "../../nodes/Nodes.ts"
import * as NodeRouting from "../policy/NodeRouting.ts"
import { version } from "./Version.ts"

/** The path of the MCP endpoint. */
export const mcpPath = "/mcp"

/** The MCP session id that clients get: the start of its node, then the id of the session there. */
const sessionId = /^(?<start>[^.]+)\.(?<id>[^.]+)$/u

/** Handles a request of a session at this node, which has the session as `id`. */
const here = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>, start: string, id?: string) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const named =
      id === undefined ? request : request.modify({ headers: Headers.set(request.headers, sessionHeader, id) })
    const response = yield* Effect.provideService(app, HttpServerRequest.HttpServerRequest, named)
    yield* HttpEffect.appendPreResponseHandler((_, response) => {
      const opened = response.headers[sessionHeader]
      return Effect.succeed(
        opened === undefined ? response : HttpServerResponse.setHeader(response, sessionHeader, `${start}.${opened}`)
      )
    })
    return response
  })

/** Handles a request at the node that has its session. That is no endpoint's `Placement`, because a header names it. */
const routed = <E, R>(nodes: NodesService, app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  NodeRouting.received(nodes, (isHop) =>
    Effect.gen(function* () {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const { id, start = nodes.start } = sessionId.exec(headers[sessionHeader] ?? "")?.groups ?? {}
      if (start === nodes.start) return yield* here(app, start, id)
      const node = isHop ? undefined : yield* nodes.withStart(start)
      return yield* node === undefined ? app : NodeRouting.forward(node, app)
    })
  )

/** Makes the MCP endpoint over the whole app. It is loaded at the first request, so that servers start without it. */
export const make = Effect.fnUntraced(function* (whole: App) {
  const nodes = yield* Nodes
  const endpoint = yield* Effect.cached(
    Effect.promise(() => import("../../mcp/McpHttp.ts")).pipe(
      Effect.flatMap(({ make }) => make(whole, { path: mcpPath, version })),
      Effect.provideService(Scope.Scope, yield* Effect.scope)
    )
  )
  const app = Effect.flatten(endpoint)
  // MCP reports all errors in its responses, so a failure is a bug
  return Effect.orDie(NodeRouting.respond(nodes === null ? app : routed(nodes, app)))
})
