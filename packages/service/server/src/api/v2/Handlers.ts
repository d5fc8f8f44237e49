import { SessionNotFoundError } from "@webagent/contract"
import { V2Api } from "@webagent/contract/v2"
import { basePath } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Engine } from "@webagent/engine"
import * as Links from "../Links.ts"
import * as Conversion from "./Conversion.ts"

/** API v2 under the path where this server serves it. */
export const Served = V2Api.prefix(basePath.v2)

/** The reads of a session by its id: as an operation, and as a plain read. */
export const reads = (engine: Engine["Service"], linksOf: Effect.Success<typeof Links.make>) => ({
  get: (id: string, request: HttpServerRequest.HttpServerRequest) =>
    engine.session(id.toLowerCase()).pipe(
      Effect.flatMap((found) =>
        Effect.map(linksOf(request, found.session.browserId), (links) => Conversion.fromDomain(found, links))
      ),
      Effect.catch((error) =>
        error._tag === "SessionNotFound"
          ? Effect.fail(new SessionNotFoundError({ detail: "Session not found" }))
          : Effect.die(error)
      )
    )
})

/** The v2 operations over the engine. */
export const layer = HttpApiBuilder.group(
  Served,
  "sessions",
  Effect.fnUntraced(function* (handlers) {
    const { get } = reads(yield* Engine, yield* Links.make)
    return handlers.handle("get", ({ params, request }) => get(params.session_id, request))
  })
)
