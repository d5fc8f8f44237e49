import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { kill } from "./kills.ts"
import { folder } from "./program.ts"

it.live(
  "loses, doubles and forgets nothing in 20 kills in the midst of creates and as it starts",
  () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "server.db")
      const { acknowledged, doubled, lost, stuck, unexplained } = yield* kill(file, 20, 1)
      assert.deepStrictEqual(
        { lost, doubled, stuck, unexplained },
        { lost: [], doubled: [], stuck: [], unexplained: [] }
      )
      assert.isAbove(acknowledged.runs, 50)
      assert.isAbove(acknowledged.messages, 10)
      assert.strictEqual(acknowledged.keys, 16)
    }),
  // 40 seconds of CPU, on a machine that other tests use too
  600_000
)
