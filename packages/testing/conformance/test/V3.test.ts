import { assert, layer } from "@effect/vitest"
import { Sessions } from "@webagent/v3"
import * as Effect from "effect/Effect"
import * as clients from "./clients.ts"

for (const http of ["fetch", "undici"] as const) {
  layer(clients.layer(http), { excludeTestServices: true })(`v3 over ${http}`, (it) => {
    it.effect("creates a session from a task, waits for it and reads its result", () =>
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const task = 'Buy the red mug [simulate output={"total":42} duration=20ms]'
        const session = yield* sessions.createAndWait({ task, thinkingLevel: "high" })
        assert.deepStrictEqual([session.result, session.task, session.thinkingLevel], [{ total: 42 }, task, "high"])
        assert.deepStrictEqual(yield* sessions.get(session.id), session)
        assert.deepStrictEqual(yield* sessions.untilTerminal(session.id), session)
      })
    )

    it.effect("fails with SessionNotFoundError for an unknown session", () =>
      Effect.gen(function* () {
        const sessions = yield* Sessions
        for (const id of ["00000000-0000-4000-8000-000000000000", "x", "a/b"]) {
          assert.strictEqual((yield* Effect.flip(sessions.get(id)))._tag, "SessionNotFoundError", id)
        }
      })
    )
  })
}
