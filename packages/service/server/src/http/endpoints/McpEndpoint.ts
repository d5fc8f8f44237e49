import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Scope from "effect/Scope"
import { version } from "./Version.ts"

/** The path of the MCP endpoint. */
export const mcpPath = "/mcp"

/** The MCP endpoint. It is loaded at the first request, so that servers start without it. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const endpoint = yield* Effect.cached(
      Effect.promise(() => import("../../mcp/McpHttp.ts")).pipe(
        Effect.flatMap(({ make }) => make(router.asHttpEffect(), { path: mcpPath, version })),
        Effect.provideService(Scope.Scope, yield* Effect.scope)
      )
    )
    yield* router.add("*", mcpPath, Effect.orDie(Effect.flatten(endpoint)))
  })
)
