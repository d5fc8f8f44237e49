import { assert, describe, it } from "@effect/vitest"
import { judge } from "../src/Judge.ts"
import type { NightJudgement } from "@webagent/report/NightJudgement"
import { drawing } from "@webagent/statistics/Drawing"
import { night, scenario, took } from "./nights.ts"
import { normal, of, rowOf, numberOf, steady, timed, timedNights } from "./judged.ts"

describe("a quarantined scenario", () => {
  const names = ["a", "b", "c", "d"]
  const all = (day: number, held: number, time_ms: number) =>
    night(day, [
      ...names.map((name) => scenario(name, 5, took(1000 * (1 + 0.02 * Math.sin(5 * day))))),
      scenario("held", held, { ...took(time_ms), cost_usd: String(time_ms / 1000) })
    ])
  const nights = Array.from({ length: 20 }, (_, day) => all(day, 5, 1000))
  const bad = all(20, 2, 9000)

  it("doesn't affect the whole night, and is judged by itself", () => {
    const figures = ["pass rate", "duration", "cost"] as const
    const without = judge(of(nights), bad)
    const held = judge(of(nights), bad, [{ suite: "shop", name: "held" }])
    const verdicts = (judgement: NightJudgement) => figures.map((figure) => rowOf(judgement, figure, null).verdict)
    assert.deepStrictEqual(verdicts(without), ["regressed", "no evidence", "no evidence"])
    assert.deepStrictEqual(verdicts(held), ["no evidence", "no evidence", "no evidence"])
    assert.strictEqual(rowOf(held, "pass rate", "held").verdict, "regressed")
  })
})

describe("the smallest detectable change that is printed", () => {
  it("of the duration is detected in four of five nights, even if the tolerance decides", () => {
    for (const spread of [0.01, 0.03]) {
      const next = drawing(1)
      const timed = (day: number, more = 0) =>
        night(day, [scenario("pays", 5, took(1000 * Math.exp(spread * normal(next) + more)))])
      let [promised, seen] = [0, 0]
      for (let run = 0; run < 200; run++) {
        const nights = Array.from({ length: 30 }, (_, day) => timed(day))
        const change = numberOf(rowOf(judge(of(nights), timed(30)), "duration", null).detectable?.amount) - 1
        promised += change / 200
        const { verdict } = rowOf(judge(of(nights), timed(30, Math.log1p(change))), "duration", null)
        if (verdict === "regressed") seen++
      }
      assert.isAbove(promised, 0.05)
      assert.isAtLeast(seen / 200, 0.7, `${spread}`)
      assert.isAtMost(seen / 200, 0.9, `${spread}`)
    }
  })

  it("of the pass rate exceeds the tolerance", () => {
    const hundred = (day: number) =>
      night(
        day,
        Array.from({ length: 100 }, (_, index) => scenario(`s${index}`))
      )
    const nights = Array.from({ length: 30 }, (_, day) => hundred(day))
    // fewer than 490 of 500 have to pass: with 97.4 % that is so in four of five nights
    const { before, detectable } = rowOf(judge(of(nights), hundred(30)), "pass rate", null)
    assert.approximately(numberOf(before) - numberOf(detectable?.amount), 0.026, 0.0005)
  })
})

describe("cost", () => {
  it("regresses if trials cost more than the tolerance allows", () => {
    assert.strictEqual(rowOf(judge(of(timedNights), timed(30, 1, 1.15)), "cost", null).verdict, "regressed")
    assert.strictEqual(rowOf(judge(of(timedNights), timed(30, 1, 1.04)), "cost", null).verdict, "no evidence")
  })
})

describe("a leaked browser", () => {
  it("is a regression whatever earlier nights did", () => {
    const leaking = night(30, [scenario("always", 5, { leaks: 1 })])
    const row = rowOf(judge(of(steady(30)), leaking), "leaked browsers", null)
    assert.deepStrictEqual(
      [row.verdict, row.now, row.before, row.nights],
      ["regressed", { _tag: "Count", count: 1 }, { _tag: "Count", count: 0 }, 30]
    )
  })
})

describe("unusual figures", () => {
  it("include a night 60 % slower than very uneven earlier ones, which doesn't fail", () => {
    const wild = (day: number) => timed(day, 1 + 0.35 * Math.sin(2 * day))
    const judgement = judge(of(Array.from({ length: 12 }, (_, day) => wild(day))), timed(12, 1.75))
    const row = rowOf(judgement, "duration", null)
    assert.deepStrictEqual([row.verdict, row.isUnusual, row.nights], ["no evidence", true, 12])
    assert.isAbove(numberOf(row.detectable?.amount), 1)
  })

  it("don't include a night with the usual cost, which isn't 0 % more expensive", () => {
    const paid = (day: number) => night(day, [scenario("pays", 5, { cost_usd: "0.05" })])
    const { change, now } = rowOf(judge(of(Array.from({ length: 12 }, (_, day) => paid(day))), paid(12)), "cost", null)
    assert.deepStrictEqual([change, now], [0, { _tag: "Ratio", ratio: 1 }])
  })

  it("don't include a weekday that is always slower, once three weeks are known", () => {
    const weekly = (day: number) => timed(day, (day % 7 === 0 ? 1.2 : 1) * (1 + 0.01 * Math.sin(5 * day)))
    const nights = Array.from({ length: 42 }, (_, day) => weekly(day))
    assert.strictEqual(rowOf(judge(of(nights), weekly(42)), "duration", null).verdict, "no evidence")
    assert.strictEqual(
      rowOf(judge(of(nights.slice(0, 41)), { ...weekly(42), ...timed(41, 1.2) }), "duration", null).verdict,
      "regressed"
    )
  })
})
