import type { StartRun } from "@webagent/admin"
import { Engine, type SafeCreate } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { invalid } from "../api/Invalid.ts"
import * as RunFiles from "../api/RunFiles.ts"
import { check } from "../api/v4/CheckRun.ts"
import * as V4 from "../api/v4/Conversion.ts"
import * as Replay from "../api/v4/Replay.ts"

/** Starts runs in sessions of their own from requests of the admin API. `read` refuses wrong requests without starting them. */
export const make = Effect.gen(function* () {
  const engine = yield* Engine
  const runFiles = yield* RunFiles.make
  const read = Effect.fnUntraced(function* (request: StartRun) {
    const { body, files, missing } = yield* runFiles.of(request)
    if (missing.length > 0) {
      return yield* invalid(["body", "attachedFileIds"], `You have no file with the id ${missing[0]}`)
    }
    const session = yield* V4.toDomain(yield* Replay.ofStart(engine, body))
    yield* check(engine, session)
    return { ...session, ...files }
  })
  const start = (request: StartRun, safe: SafeCreate | undefined) =>
    Effect.flatMap(read(request), (session) => engine.createSession(session, safe))
  return { read, start }
})
