import { assert, describe, it } from "@effect/vitest"
import * as Binomial from "@webagent/statistics/Binomial"
import * as Discrete from "@webagent/statistics/Discrete"
import { looksAt, rateSeen, scatterOf, worseForOthers } from "../src/Counts.ts"
import * as Table from "../src/Table.ts"
import { night, scenario } from "./nights.ts"
import { of } from "./judged.ts"

/** Scenarios by how many of five trials failed in each night; the last is tonight. */
const tableOf = (...failures: ReadonlyArray<ReadonlyArray<number>>) => {
  const nights = (failures[0] ?? []).map((_, day) =>
    night(
      day,
      failures.map((its, index) => scenario(`s${index}`, 5 - (its[day] ?? 0)))
    )
  )
  const past = nights.slice(0, -1)
  const tonight = nights.at(-1)
  if (tonight === undefined) throw new Error("no night")
  return Table.make(of(past), past, tonight).scenarios
}

describe("the detectable pass rate", () => {
  it("is detected in four of five cases", () => {
    for (const [critical, trials] of [
      [1, 5],
      [3, 5],
      [5, 5],
      [12, 40]
    ] as const) {
      const rate = rateSeen(critical, trials)
      assert.closeTo(Discrete.atLeast(Binomial.of(trials, 1 - rate), critical), 0.8, 1e-9)
    }
  })
})

describe("the scatter of failures", () => {
  it("has a variance of at most 2, however much nights differ", () => {
    const wild = Array.from({ length: 31 }, (_, day) => (day % 10 < 5 ? 5 : 0))
    const { besides, nextNight, prior, sameNight } = scatterOf(tableOf(...Array.from({ length: 100 }, () => wild)))
    assert.deepStrictEqual([sameNight, nextNight], [2, 2])
    assert.isAtMost(besides, 2)
    const share = 7500.5 / 15_010
    assert.deepStrictEqual(prior, { failed: 10 * share, passed: 10 * (1 - share) })
  })

  it("is zero if nights differ less than by chance", () => {
    const alike = Array.from({ length: 31 }, () => 1)
    const { besides, nextNight, sameNight } = scatterOf(tableOf(...Array.from({ length: 100 }, () => alike)))
    assert.deepStrictEqual([sameNight, besides, nextNight], [0, 0, 0])
  })

  it("has its default without failing scenarios, and moves toward the data as they increase", () => {
    const never = scatterOf(tableOf(Array.from({ length: 31 }, () => 0)))
    assert.deepStrictEqual([never.sameNight, never.besides, never.nextNight], [0.1, 0.1, 0])
    // three or none fail, two nights by two: as one scenario may do by chance
    const uneven = Array.from({ length: 31 }, (_, day) => (day % 4 < 2 ? 3 : 0))
    const [few, many] = [1, 100].map((count) => scatterOf(tableOf(...Array.from({ length: count }, () => uneven))))
    assert.isBelow(few?.sameNight ?? 9, 0.3)
    assert.isAbove(many?.sameNight ?? 0, 0.5)
  })
})

describe("a night that is worse for all scenarios", () => {
  const one = Array.from({ length: 31 }, (_, day): number => (day === 30 ? 5 : 1))
  const as = Array.from({ length: 31 }, () => 1)

  it("is worse by the others' failures, at most two failures each", () => {
    const [first, second, third] = tableOf(one, as, as)
    if (first === undefined || second === undefined || third === undefined) throw new Error("no scenario")
    const factor = worseForOthers([first, second, third])
    assert.strictEqual(factor(first), 1)
    // 3 of 5 failures count, where 1 is usual, with ten beside both
    assert.closeTo(factor(second), (3 + 1 + 10) / (1 + 1 + 10), 1e-12)
  })

  it("is never better than usual", () => {
    const well = one.with(30, 0)
    const [first, second] = tableOf(well, as)
    if (first === undefined || second === undefined) throw new Error("no scenario")
    assert.strictEqual(worseForOthers([first, second])(second), 1)
  })

  it("excuses one night, but not three", () => {
    const [first] = tableOf(one)
    if (first === undefined) throw new Error("no scenario")
    const scatter = { sameNight: 0.3, besides: 0.1, nextNight: 0.05, prior: { failed: 2, passed: 8 } }
    const [as, worse] = [looksAt(first, scatter, 1), looksAt(first, scatter, 1.5)]
    assert.deepStrictEqual(
      worse.map(({ window }) => window),
      [1, 3, 8]
    )
    const isExcused = (at: number) => (worse[at]?.worse ?? 0) > (as[at]?.worse ?? 1)
    assert.deepStrictEqual([isExcused(0), isExcused(1), isExcused(2)], [true, false, false])
  })
})
