import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { run, suiteOf } from "./stage.ts"

/** A scenario that passes in its first `times` trials. */
const passes = (name: string, times: number) => {
  let count = 0
  const trial = Effect.suspend(() => (count++ < times ? Effect.void : Effect.fail(new Error("no"))))
  return [name, trial] as const
}

describe("SuiteFigures", () => {
  it.effect("show the pass rate of all suites and of each, with its uncertainty", () =>
    Effect.gen(function* () {
      const { report } = yield* run(
        [suiteOf("one", [passes("a", 5), passes("b", 3)]), suiteOf("two", [passes("c", 0), passes("d", 5)])],
        { trials: 5 }
      )
      const [all, one] = report.figures ?? []
      assert.deepStrictEqual(
        report.figures?.map(({ suite }) => suite),
        [null, "one", "two"]
      )
      assert.deepStrictEqual([all?.passed, all?.scored, all?.scenarios, all?.k], [13, 20, 4, 5])
      assert.closeTo(all?.rate ?? 0, (1 + 0.6 + 0 + 1) / 4, 1e-12)
      assert.deepStrictEqual([all?.passAtK, all?.passHatK, one?.passAtK, one?.passHatK], [0.75, 0.5, 1, 0.5])
      assert.isBelow(all?.interval?.low ?? 1, all?.rate ?? 0)
      assert.isAbove(all?.interval?.high ?? 0, all?.rate ?? 1)
      const { high, low, ...counted } = report.results[1]?.passRate ?? { high: 0, low: 0 }
      assert.deepStrictEqual<unknown>(counted, { passed: 3, scored: 5, rate: 0.6 })
      assert.closeTo(low, 0.2307, 1e-4)
      assert.closeTo(high, 0.8824, 1e-4)
    })
  )

  it.effect("show the small number of scenarios even if all passed", () =>
    Effect.gen(function* () {
      const { report } = yield* run([suiteOf("one", [passes("a", 2), passes("b", 2), passes("c", 2)])], { trials: 2 })
      const [all] = report.figures ?? []
      assert.deepStrictEqual([all?.rate, all?.interval?.high], [1, 1])
      assert.closeTo(all?.interval?.low ?? 1, 0.3825, 1e-4)
    })
  )

  it.effect("are uncertain even if all passed equally often", () =>
    Effect.gen(function* () {
      const { report } = yield* run([suiteOf("one", [passes("a", 4), passes("b", 4)])], { trials: 5 })
      const [all] = report.figures ?? []
      assert.closeTo(all?.rate ?? 0, 0.8, 1e-12)
      assert.isBelow(all?.interval?.low ?? 1, 0.5)
      assert.isAbove(all?.interval?.high ?? 0, 0.9)
    })
  )

  it.effect("show no rate for one trial each", () =>
    Effect.gen(function* () {
      const { report } = yield* run([suiteOf("one", [passes("a", 1)])])
      assert.deepStrictEqual([report.figures, report.results[0]?.passRate], [undefined, undefined])
    })
  )
})
