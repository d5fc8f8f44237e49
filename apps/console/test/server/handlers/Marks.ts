import { ConsoleApi } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { World } from "../World.ts"

/** Verdicts of people. */
export const marks = (world: World) =>
  HttpApiBuilder.group(ConsoleApi, "marks", (handlers) =>
    handlers.handleAll({
      set: ({ params, payload }) =>
        Effect.sync(() => {
          const mark = {
            verdict: payload.verdict,
            note: payload.note ?? null,
            by: "shop",
            at: new Date().toISOString()
          }
          world.marks.set(params.run_id, mark)
          return mark
        }),
      remove: ({ params }) => Effect.sync(() => void world.marks.delete(params.run_id))
    })
  )
