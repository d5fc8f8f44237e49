import { ConsoleApi } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { World } from "../World.ts"
import { notTested } from "./unknown.ts"

/** The log of events. */
export const events = (world: World) =>
  HttpApiBuilder.group(ConsoleApi, "events", (handlers) =>
    handlers.handleAll({
      stream: () => notTested,
      list: ({ query: { before = Infinity, cursor, key, kind, limit = 50, run } }) => {
        const end = Math.min(before, Number(cursor ?? Infinity))
        const all = world.log.filter(
          (event) =>
            Number(event.position) < end &&
            (key === undefined || event.owner === key) &&
            (kind === undefined || event.kind === kind) &&
            (run === undefined || event.id === run)
        )
        const rows = all.slice(0, limit)
        const next = all.length > limit ? (rows.at(-1)?.position ?? null) : null
        return Effect.succeed({ rows, next, complete: true })
      }
    })
  )
