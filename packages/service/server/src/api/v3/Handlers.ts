import { SessionNotFoundError } from "@webagent/contract"
import { V3Api } from "@webagent/contract/v3"
import { basePath } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Engine } from "@webagent/engine"
import * as Links from "../Links.ts"
import * as SafeCreate from "../SafeCreate.ts"
import * as Conversion from "./Conversion.ts"

/** API v3 under the path where this server serves it. */
export const Served = V3Api.prefix(basePath.v3)

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

/** The v3 operations over the engine. */
export const layer = HttpApiBuilder.group(
  Served,
  "sessions",
  Effect.fnUntraced(function* (handlers) {
    const engine = yield* Engine
    const linksOf = yield* Links.make
    return handlers.handleAll({
      create: ({ payload, request }) =>
        SafeCreate.once({ request, payload }, (safe) =>
          Effect.flatMap(Conversion.toDomain(payload), (session) => engine.createSession(session, safe))
        ).pipe(
          Effect.flatMap(({ session, turn }) =>
            Effect.map(linksOf(request), (links) => Conversion.fromDomain({ session, turns: [turn] }, links))
          )
        ),
      get: ({ params, request }) => reads(engine, linksOf).get(params.session_id, request)
    })
  })
)
