import { assert, describe, it } from "@effect/vitest"
import { judge } from "../src/Judge.ts"
import { drawing } from "@webagent/statistics/Drawing"
import { night, scenario } from "./nights.ts"
import { normal, numberOf, of, rate, rowOf, steady, tonight } from "./judged.ts"

describe("a scenario's pass rate", () => {
  it("regresses if it drops by more than chance, with its evidence", () => {
    const judgement = judge(of(steady(30)), tonight(30, 0))
    const row = rowOf(judgement, "pass rate", "often")
    assert.strictEqual(row.verdict, "regressed")
    assert.deepStrictEqual(
      [row.now, row.before, row.nights, (row.pValue ?? 1) < 0.001],
      [rate(0, 5), rate(142, 150), 30, true]
    )
    assert.strictEqual(judgement.verdict, "regressed")
    assert.strictEqual(rowOf(judgement, "pass rate", "always").verdict, "no evidence")
  })

  it("is not excused by the variation of scenarios that often fail", () => {
    const next = drawing(8)
    const flaky = () => Math.round(5 * Math.max(0, Math.min(1, 0.6 + 0.25 * normal(next))))
    const all = (day: number, never: number) =>
      night(day, [
        scenario("never fails", never),
        ...Array.from({ length: 12 }, (_, at) => scenario(`f${at}`, flaky()))
      ])
    const nights = Array.from({ length: 30 }, (_, day) => all(day, 5))
    assert.strictEqual(rowOf(judge(of(nights), all(30, 1)), "pass rate", "never fails").verdict, "regressed")
    const calm = judge(of(nights), all(30, 5))
    assert.deepStrictEqual(
      calm.rows.filter(({ verdict }) => verdict === "regressed"),
      []
    )
  })

  it("is not excused by nights in which all scenarios fail more, if the others are as usual tonight", () => {
    const next = drawing(3)
    const all = (day: number, factor: number, first?: number) =>
      night(
        day,
        Array.from({ length: 60 }, (_, at) => {
          const passed = Array.from({ length: 5 }, () => next() >= 0.06 * factor).filter(Boolean).length
          const confirm = { confirm: { figure: "pass rate", passed: 0, scored: 1 } } as const
          return scenario(`s${at}`, at === 0 ? (first ?? passed) : passed, first === undefined || at > 0 ? {} : confirm)
        })
      )
    const nights = Array.from({ length: 30 }, (_, day) => all(day, [0.2, 1, 1.8][day % 3] ?? 1))
    const of60 = (day: number, factor: number, first: number) =>
      rowOf(judge(of(nights), all(day, factor, first)), "pass rate", "s0")
    assert.strictEqual(of60(30, 1, 0).verdict, "regressed")
    assert.strictEqual(of60(30, 3, 0).verdict, "no evidence")
  })

  it("doesn't improve because others fail", () => {
    const all = (day: number, first: number, others: number) =>
      night(
        day,
        Array.from({ length: 20 }, (_, at) => scenario(`s${at}`, at === 0 ? first : others))
      )
    const past = Array.from({ length: 10 }, (_, day) => all(day, day % 2 === 0 ? 3 : 4, 5))
    const first = rowOf(judge(of(past), all(10, 5, 0)), "pass rate", "s0")
    assert.strictEqual(first.verdict, "no evidence")
  })

  it("has no evidence if it is as usual, and has the smallest detectable drop", () => {
    const row = rowOf(judge(of(steady(30)), tonight(30, 4)), "pass rate", "often")
    assert.strictEqual(row.verdict, "no evidence")
    // four of five failures are evidence, and four of five nights with this rate have as many
    assert.approximately(numberOf(row.detectable?.amount), 0.17, 0.005)
  })

  it("combines nights if one is too short", () => {
    const nights = [...steady(30), tonight(30, 3), tonight(31, 3)]
    assert.strictEqual(
      rowOf(judge(of(nights.slice(0, 31)), tonight(31, 3)), "pass rate", "often").verdict,
      "no evidence"
    )
    const row = rowOf(judge(of(nights), tonight(32, 2)), "pass rate", "often")
    assert.deepStrictEqual([row.verdict, row.since], ["regressed", nights[33 - row.window]?.startedAt])
    assert.isAbove(row.window, 1)
  })

  it("that recovered tonight doesn't regress, whatever the earlier nights were", () => {
    const nights = [...steady(30), tonight(30, 0), tonight(31, 0)]
    assert.strictEqual(rowOf(judge(of(nights), tonight(32, 5)), "pass rate", "often").verdict, "no evidence")
  })

  it("has too little data in four nights, and starts again when the scenario changes", () => {
    const few = rowOf(judge(of(steady(4)), tonight(4, 0)), "pass rate", "often")
    assert.deepStrictEqual(
      [few.verdict, few.now, few.before, few.nights, few.lack],
      ["not enough data", rate(0, 5), rate(19, 20), 4, { _tag: "FewRuns", needed: 5 }]
    )
    const { lack, nights: known } = rowOf(judge(of(steady(4)), tonight(4, 5)), "duration", "often")
    assert.deepStrictEqual([known, lack], [4, { _tag: "FewRuns", needed: 5 }])
    const wholeOf = (nights: number, ...names: ReadonlyArray<string>) => {
      const all = night(
        nights,
        names.map((name) => scenario(name))
      )
      const { lack, nights: known, now } = rowOf(judge(of(steady(nights)), all), "pass rate", null)
      return [known, now, lack?._tag]
    }
    assert.deepStrictEqual(wholeOf(4, "always", "new"), [4, rate(10, 10), "FewRuns"])
    assert.deepStrictEqual(wholeOf(12, "new"), [0, rate(5, 5), "FewRuns"])
    const away = judge(of(steady(12)), night(12, [scenario("always", 0, { scored: 0, verdict: "infra", infra: 5 })]))
    assert.strictEqual(rowOf(away, "pass rate", null).lack?._tag, "NoValue")
    const changed = judge(of(steady(30)), tonight(30, 0, { source: "bb" }))
    assert.strictEqual(rowOf(changed, "pass rate", "often").verdict, "not enough data")
    assert.deepStrictEqual(changed.differences, ["1 scenario changed"])
  })

  it("improves if it rises by more than chance", () => {
    const bad = steady(30, (day) => [scenario("bad", day % 3 === 0 ? 1 : 0)])
    const good = night(30, [scenario("bad", 5)])
    assert.strictEqual(rowOf(judge(of(bad), good), "pass rate", "bad").verdict, "improved")
  })
})

describe("a whole night's pass rate", () => {
  it("is the measured one, whatever its usual nights are", () => {
    const nightOf = (day: number, first: number, second: number) =>
      night(day, [scenario("s0", first), scenario("s1", second), scenario("s2", 5), scenario("s3", 5)])
    // one night in four is worse, so the median of the nights is not their mean
    const nights = Array.from({ length: 30 }, (_, day) => nightOf(day, day % 4 === 3 ? 3 : 5, 5))
    assert.deepStrictEqual(rowOf(judge(of(nights), nightOf(30, 0, 0)), "pass rate", null).now, rate(10, 20))
  })

  it("names the scenarios that failed most beyond their own rates if many fail a little more", () => {
    const twenty = (day: number, passed: (index: number) => number) =>
      night(
        day,
        Array.from({ length: 20 }, (_, index) => scenario(`s${index}`, passed(index)))
      )
    // the first has always failed twice
    const nights = Array.from({ length: 30 }, (_, day) => twenty(day, (index) => (index === 0 ? 3 : 5)))
    const contributorsOf = (of_: (index: number) => number) =>
      rowOf(judge(of(nights), twenty(30, of_)), "pass rate", null).contributors
    const named = contributorsOf((index) => (index === 0 ? 3 : index === 7 ? 3 : 4))
    assert.lengthOf(named ?? [], 5)
    assert.deepStrictEqual(named?.[0], {
      suite: "shop",
      name: "s7",
      now: rate(3, 5),
      before: rate(150, 150),
      change: 3 / 5 - 1,
      share: 2 / 20
    })
    assert.notInclude(named?.map(({ name }) => name) ?? [], "s0")
    assert.isUndefined(contributorsOf((index) => (index === 0 ? 3 : 5)))
  })

  it("includes how rare tonight is for scenarios that fail at times", () => {
    const of6 = Array.from({ length: 6 }, (_, day) =>
      night(day, [scenario("guesses", 3 + (day % 3)), scenario("always")])
    )
    const isRare = (passed: number) => {
      const tonight = night(6, [scenario("guesses", passed), scenario("always")])
      const row = rowOf(judge(of(of6), tonight), "pass rate", "guesses")
      assert.deepStrictEqual([row.now, row.before, row.nights], [rate(passed, 5), rate(24, 30), 6])
      return row.isRare === true
    }
    assert.deepStrictEqual([isRare(1), isRare(3)], [true, false])
  })
})
