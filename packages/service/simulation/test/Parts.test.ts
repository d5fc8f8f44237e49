import { assert, describe, it } from "@effect/vitest"
import { Engine } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as SimulatedService from "../src/SimulatedService.ts"

describe("Parts", () => {
  it.effect("produce the same ids, outcomes and costs for the same seed and order, however turns interleave", () =>
    Effect.gen(function* () {
      const history = (steps: ReadonlyArray<number>) =>
        Effect.gen(function* () {
          const engine = yield* Engine
          const ids: Array<string> = []
          for (const pause of steps) {
            ids.push(
              (yield* engine.createSession({ task: "anything", modelParams: null, thinkingLevel: null })).turn.id
            )
            yield* TestClock.adjust(pause)
          }
          yield* TestClock.adjust("1 hour")
          const turns = yield* Effect.forEach(ids, engine.turn)
          return turns.map(({ cost, id, output, sessionId, status }) => ({ cost, id, output, sessionId, status }))
        }).pipe(Effect.provide(SimulatedService.layerEngine({ seed: 5, failureRate: 0.5 }), { local: true }))
      const together = yield* history([0, 0, 0, 0, 0, 0, 0, 0])
      const apart = yield* history([900, 10, 5000, 1, 300, 0, 70, 9])
      assert.deepStrictEqual(together, apart)
      assert.sameMembers([...new Set(together.map((turn) => turn.status))], ["completed", "failed"])
      assert.strictEqual(new Set(together.map((turn) => turn.cost)).size, 8)
    })
  )
})
