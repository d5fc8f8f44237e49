import { assert, describe, it } from "@effect/vitest"
import { drawing } from "@webagent/statistics/Drawing"
import { nightLevelOf } from "../src/NightLevel.ts"
import { night, scenario } from "./nights.ts"
import * as Table from "../src/Table.ts"
import { normal, of } from "./judged.ts"

const count = 20
const { scenarios } = Table.make(
  of([]),
  [],
  night(
    0,
    Array.from({ length: count }, (_, index) => scenario(`s${index}`))
  )
)
const [first] = scenarios
if (first === undefined) throw new Error("no scenario")

/** The first scenario is far steadier than the others. */
const deviationOf = (index: number) => (index === 0 ? 0.05 : 0.2)
const levelOf = (more: (index: number) => number) =>
  nightLevelOf(scenarios.map((of, index) => ({ of, more: more(index), deviation: deviationOf(index) })))

describe("a night's level", () => {
  it("compared with the others doesn't depend on the scenario itself", () => {
    const others = (index: number) => 0.01 * (index - count / 2)
    const [usual, slower] = [0, 0.01].map((own) => levelOf((index) => (index === 0 ? own : others(index))))
    assert.isAbove(slower?.ofAll ?? 0, usual?.ofAll ?? 0)
    assert.closeTo(slower?.besides(first) ?? Number.NaN, usual?.besides(first) ?? 0, 1e-12)
    assert.closeTo(levelOf((index) => (index === 0 ? 0 : 0.1)).besides(first), 0.1, 1e-12)
  })

  it("gives a scenario the sum of both variances compared with the others", () => {
    const next = drawing(7)
    const runs = 4000
    let [beside, within, ofOthers] = [0, 0, 0]
    for (let run = 0; run < runs; run++) {
      const all = scenarios.map((_, index) => deviationOf(index) * normal(next))
      const [own = 0] = all
      const level = levelOf((index) => all[index] ?? 0)
      beside += (own - level.besides(first)) ** 2 / runs
      within += (own - level.ofAll) ** 2 / runs
      ofOthers += level.besides(first) ** 2 / runs
    }
    const sum = deviationOf(0) ** 2 + ofOthers
    assert.closeTo(beside / sum, 1, 0.05)
    assert.isBelow(within / sum, 0.6)
  })

  it("depends mostly on steady scenarios, and hardly on an outlier", () => {
    const steady = levelOf((index) => (index === 0 ? 0.05 : 0)).ofAll
    assert.isAbove(steady, 5 * levelOf((index) => (index === 1 ? 0.05 : 0)).ofAll)
    const far = levelOf((index) => (index === 1 ? 5 : 0)).ofAll
    assert.closeTo(far, levelOf((index) => (index === 1 ? 1 : 0)).ofAll, 0.02)
  })

  it("is only the common part of two scenarios if one of them changed", () => {
    const ofTwo = (...both: ReadonlyArray<number>) => {
      const two = scenarios.slice(0, both.length)
      const { besides } = nightLevelOf(two.map((of, index) => ({ of, more: both[index] ?? 0, deviation: 0.1 })))
      return two.map((of) => Number(besides(of).toFixed(9)))
    }
    assert.deepStrictEqual(ofTwo(0.7, 0), [0, 0])
    assert.deepStrictEqual(ofTwo(-0.7, 0.1), [0.1, 0])
    assert.deepStrictEqual(ofTwo(1.3, 0.6), [0.6, 0.6])
    assert.deepStrictEqual(ofTwo(0.7, 0.6), [0.6, 0.7])
  })

  it("is the full level for a scenario that doesn't contribute, such as a quarantined one", () => {
    const others = nightLevelOf(scenarios.slice(1).map((of, index) => ({ of, more: 0.1 * index, deviation: 0.1 })))
    assert.isAbove(others.ofAll, 0)
    assert.strictEqual(others.besides(first), others.ofAll)
  })

  it("can be estimated from one scenario, but not from none", () => {
    const alone = nightLevelOf([{ of: first, more: 0.3, deviation: 0.1 }])
    assert.deepStrictEqual([alone.ofAll, alone.besides(first)], [0.3, 0.3])
    assert.deepStrictEqual([nightLevelOf([]).ofAll, nightLevelOf([]).besides(first)], [Number.NaN, 0])
  })
})
