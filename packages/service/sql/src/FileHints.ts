import { Hints, makeEventHints } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { ForeignCommits } from "./NodeSqlite.ts"

/** Time until a server notices what another process committed. */
const every = "1 second"

/**
 * Hints of a SQLite file that one server has, and that operators' commands write to. SQLite counts the commits of other
 * processes, so the server reads its records only after one of them.
 */
export const layer: Layer.Layer<never> = Layer.effect(
  Hints,
  Effect.gen(function* () {
    const version = yield* ForeignCommits
    const own = makeEventHints()
    const foreign = makeEventHints()
    let latest = yield* version
    const look = Effect.flatMap(version, (now) => {
      if (now === null || now === latest) return Effect.void
      latest = now
      return Effect.andThen(foreign.tellEvents, own.tellEvents)
    })
    yield* Effect.forkScoped(Effect.repeat(Effect.delay(look, every), Schedule.forever))
    return { tell: () => Effect.void, heard: () => foreign.heardEvents, ...own }
  })
)
