import { NotFoundError } from "@webagent/admin"
import { Engine, type RunMark, RunNotes, type RunNotesService } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Caller } from "../../api/Caller.ts"
import { markOf } from "./Conversion.ts"
import { group } from "./Operations.ts"

/** Finds runs that the caller may see, and the storage of their notes. */
export const makeNotable = (engine: Engine["Service"], notes: RunNotesService | null) => (id: string) =>
  Effect.gen(function* () {
    const turn = yield* Effect.catchTag(engine.turn(id.toLowerCase()), "TurnNotFound", () =>
      Effect.fail(new NotFoundError({ detail: "Run not found" }))
    )
    if (notes === null) return yield* new NotFoundError({ detail: "This server stores no notes about runs" })
    return { turn, notes }
  })

/** Opinions of people about runs. */
export const layer = group("marks", function* (handlers) {
  const find = makeNotable(yield* Engine, yield* RunNotes)
  return handlers.handleAll({
    set: Effect.fnUntraced(function* ({ params, payload: { note = null, verdict } }) {
      const { notes, turn } = yield* find(params.run_id)
      const { name } = yield* Caller
      const mark: RunMark = { verdict, note, by: name, at_ms: yield* Clock.currentTimeMillis }
      yield* notes.set(turn.id, { mark })
      return markOf(mark)
    }),
    remove: ({ params }) => Effect.flatMap(find(params.run_id), ({ notes, turn }) => notes.set(turn.id, { mark: null }))
  })
})
