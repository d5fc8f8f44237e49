import { assert, describe, it } from "@effect/vitest"
import { judge } from "../src/Judge.ts"
import type { Night } from "../src/Night.ts"
import { night, scenario, took } from "./nights.ts"
import { of, rowOf, timed, timedNights } from "./judged.ts"

describe("durations", () => {
  it("are worse for the whole night when all scenarios are a little slower", () => {
    const row = rowOf(judge(of(timedNights), timed(30, 1.1)), "duration", null)
    assert.strictEqual(row.verdict, "regressed")
    assert.match(row.evidence, /^[\d.]+ % longer tonight than in the 30 nights before \(p /u)
    assert.strictEqual(rowOf(judge(of(timedNights), timed(30, 1.01)), "duration", null).verdict, "no evidence")
  })

  it("of a slower night name the scenarios that added most, and their share of it", () => {
    const even = (day: number, factor: number, first = 1000) =>
      night(
        day,
        Array.from({ length: 10 }, (_, index) =>
          scenario(`s${index}`, 5, took((index === 0 ? first : 1000 * (index + 1)) * factor))
        )
      )
    const nights = Array.from({ length: 30 }, (_, day) => even(day, 1 + 0.01 * Math.sin(5 * day)))
    const held = { suite: "shop", name: "s9" }
    const contributorsOf = (tonight: Night) => rowOf(judge(of(nights), tonight, [held]), "duration", null).contributors
    const slower = contributorsOf(even(30, 1.2, 10_000))
    // a long scenario adds more at the same factor; one in quarantine does not count
    assert.deepStrictEqual(
      slower?.map(({ name }) => name),
      ["s0", "s8", "s7", "s6", "s5"]
    )
    const [first] = slower ?? []
    assert.deepInclude(first, { suite: "shop", now: "12.0 s", before: "999 ms" })
    assert.approximately(first?.change ?? 0, 11, 0.1)
    assert.approximately(first?.share ?? 0, 11 / (11 + 0.2 * 44), 0.01)
    assert.isUndefined(contributorsOf(even(30, 1)))
  })

  it("of less than 20 ms are not told apart, however steady they were", () => {
    const short = (day: number, time_ms: number) => {
      const { id: _, ...of } = timed(day, 1)
      return night(day, [...of.scenarios, scenario("short", 5, took(time_ms))])
    }
    const nights = Array.from({ length: 30 }, (_, day) => short(day, 0.2))
    assert.strictEqual(rowOf(judge(of(nights), short(30, 19)), "duration", "short").verdict, "no evidence")
    assert.strictEqual(rowOf(judge(of(nights), short(30, 200)), "duration", "short").verdict, "regressed")
  })

  it("of one scenario are worse by themselves, and not those of the night", () => {
    const slow = (day: number, factor = 2) => {
      const { id: _, ...of } = timed(day, 1)
      const scenarios = of.scenarios.map((one) => (one.name === "s3" ? { ...one, ...took(4000 * factor) } : one))
      return night(day, scenarios)
    }
    const judgement = judge(of(timedNights), slow(30))
    const row = rowOf(judgement, "duration", "s3")
    assert.strictEqual(row.verdict, "regressed")
    assert.match(
      row.evidence,
      /^102 % longer tonight than in the 30 nights before: 8\.\d\d s, usually [34]\.\d\d s \(p/u
    )
    assert.strictEqual(rowOf(judgement, "duration", null).verdict, "no evidence")
    // what was slow in the last nights and is well tonight is no news
    const its = { figure: "duration", scenario: { suite: "shop", name: "s3" }, since: slow(30).startedAt } as const
    const lately = [slow(30), slow(31)].map((of): Night => ({ ...of, regressed: [its] }))
    const verdictOf = (tonight: Night) =>
      rowOf(judge(of([...timedNights, ...lately]), tonight), "duration", "s3").verdict
    assert.deepStrictEqual([verdictOf(slow(32)), verdictOf(slow(32, 1))], ["regressed", "no evidence"])
  })
})
