import type { StartRun } from "@webagent/admin"
import { Engine, type SafeCreate } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { invalid } from "../api/Invalid.ts"
import * as RunFiles from "../api/RunFiles.ts"
import { check } from "../api/v4/CheckRun.ts"
import * as V4 from "../api/v4/Conversion.ts"
import * as Replay from "../api/v4/Replay.ts"

/** Starts runs in sessions of their own from requests of the admin API. */
export const make = Effect.gen(function* () {
  const engine = yield* Engine
  const runFiles = yield* RunFiles.make
  return Effect.fnUntraced(function* (request: StartRun, safe: SafeCreate | undefined) {
    const { body, files, missing } = yield* runFiles.of(request)
    if (missing.length > 0) {
      return yield* invalid(["body", "attachedFileIds"], `You have no file with the id ${missing[0]}`)
    }
    const session = yield* V4.toDomain(yield* Replay.ofStart(engine, body))
    yield* check(engine, session)
    return yield* engine.createSession({ ...session, ...files }, safe)
  })
})
