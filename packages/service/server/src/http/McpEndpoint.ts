import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Scope from "effect/Scope"
import { version } from "./Version.ts"

/** Where the operations are as MCP tools. */
export const mcpPath = "/mcp"

/** Loaded at the first request: a server without MCP clients pays nothing for it. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const endpoint = yield* Effect.cached(
      Effect.promise(() => import("../mcp/McpHttp.ts")).pipe(
        Effect.flatMap(({ make }) => make(router.asHttpEffect(), { path: mcpPath, version })),
        Effect.provideService(Scope.Scope, yield* Effect.scope)
      )
    )
    yield* router.add("*", mcpPath, Effect.orDie(Effect.flatten(endpoint)))
  })
)
