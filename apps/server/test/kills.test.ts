import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { kill } from "./kills.ts"
import { folder } from "./program.ts"

const kills = Number(process.env["WEBAGENT_KILLS"] ?? 10)

it.live(
  `a server loses, doubles and forgets nothing in ${kills} kills during creates and at the start`,
  () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "server.db")
      const { acknowledged, doubled, lost, stuck, unexplained } = yield* kill(
        file,
        kills,
        Number(process.env["WEBAGENT_KILL_SEED"] ?? 1)
      )
      assert.deepStrictEqual(
        { lost, doubled, stuck, unexplained },
        { lost: [], doubled: [], stuck: [], unexplained: [] }
      )
      assert.isAbove(acknowledged.runs, 2.5 * kills)
      assert.isAbove(acknowledged.messages, 0.5 * kills)
      assert.strictEqual(acknowledged.keys, kills - Math.floor(kills / 5))
    }),
  // two seconds of CPU each, on a machine that other tests use too
  Math.max(600_000, kills * 30_000)
)
