import { V3Api } from "@webagent/contract/v3"
import { basePath } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Engine } from "@webagent/engine"
import * as Links from "../Links.ts"
import { NodeRouting, place } from "../Placement.ts"
import { sessionRead } from "../SessionRead.ts"
import * as SafeCreate from "../SafeCreate.ts"
import * as Conversion from "./Conversion.ts"

/** API v3 under the path where this server serves it. */
export const Served = place(V3Api.prefix(basePath.v3).middleware(NodeRouting), {
  sessions: { create: { node: "withRoom", launches: "later" } }
})

/** The read of a session by its id: as an operation, and as a fast read. */
export const read = sessionRead(Conversion.fromDomain)

/** The v3 operations over the engine. */
export const layer = HttpApiBuilder.group(
  Served,
  "sessions",
  Effect.fnUntraced(function* (handlers) {
    const engine = yield* Engine
    const linksOf = yield* Links.make
    const get = read(engine, linksOf)
    return handlers.handleAll({
      create: ({ payload, request }) =>
        SafeCreate.once({ request, payload }, (safe) =>
          Effect.flatMap(Conversion.toDomain(payload), (session) => engine.createSession(session, safe))
        ).pipe(
          Effect.flatMap(({ session, turn }) =>
            Effect.map(linksOf(request), (links) => Conversion.fromDomain({ session, turns: [turn] }, links))
          )
        ),
      get: ({ params, request }) => get(params.session_id, request)
    })
  })
)
