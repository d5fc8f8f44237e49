import { assert, layer } from "@effect/vitest"
import { Sessions } from "@webagent/v2"
import { Runs, Sessions as V4Sessions } from "@webagent/v4"
import * as Effect from "effect/Effect"
import * as clients from "./clients.ts"

for (const http of ["fetch", "undici"] as const) {
  layer(clients.layer(http), { excludeTestServices: true })(`v2 over ${http}`, (it) => {
    it.effect("waits for a session until its last task is terminal", () =>
      Effect.gen(function* () {
        const runs = yield* Runs
        const messages = yield* V4Sessions
        const sessions = yield* Sessions
        const { sessionId } = yield* runs.create({
          task: "[simulate output=one cost=0.01 duration=30ms keepAlive=true]"
        })
        const id = sessionId ?? ""
        yield* messages.queue(id, { text: "[simulate outcome=failed duration=30ms]" })
        const session = yield* sessions.untilTerminal(id)
        assert.deepStrictEqual(
          session.tasks.map(({ status }) => status),
          ["finished", "failed"]
        )
        const [first] = session.tasks
        assert.deepStrictEqual([first?.output, first?.cost, first?.sessionId], ["one", "0.01", id])
        assert.deepStrictEqual([session.keepAlive, session.proxyCost], [true, "0"])
      })
    )

    it.effect("fails with SessionNotFoundError for an unknown session", () =>
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const error = yield* Effect.flip(sessions.get("00000000-0000-4000-8000-000000000000"))
        assert.strictEqual(error._tag, "SessionNotFoundError")
      })
    )
  })
}
