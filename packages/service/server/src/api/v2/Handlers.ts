import { V2Api } from "@webagent/contract/v2"
import { basePath } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Engine } from "@webagent/engine"
import * as Links from "../Links.ts"
import { NodeRouting } from "../Placement.ts"
import { sessionRead } from "../SessionRead.ts"
import * as Conversion from "./Conversion.ts"

/** API v2 under the path where this server serves it. */
export const Served = V2Api.prefix(basePath.v2).middleware(NodeRouting)

/** The read of a session by its id: as an operation, and as a fast read. */
export const read = sessionRead(Conversion.fromDomain)

/** The v2 operations over the engine. */
export const layer = HttpApiBuilder.group(
  Served,
  "sessions",
  Effect.fnUntraced(function* (handlers) {
    const get = read(yield* Engine, yield* Links.make)
    return handlers.handle("get", ({ params, request }) => get(params.session_id, request))
  })
)
