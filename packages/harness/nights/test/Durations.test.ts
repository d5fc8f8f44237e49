import { assert, describe, it } from "@effect/vitest"
import { judge, suspects } from "../src/Judge.ts"
import type { Night } from "../src/Night.ts"
import { night, scenario, took } from "./nights.ts"
import { numberOf, of, rowOf, severityOf, timed, timedNights } from "./judged.ts"

describe("durations", () => {
  it("regress for the whole night if all scenarios are a little slower", () => {
    const row = rowOf(judge(of(timedNights), timed(30, 1.1)), "duration", null)
    assert.strictEqual(row.verdict, "regressed")
    assert.deepStrictEqual([row.window, row.nights, (row.pValue ?? 1) < 0.05], [1, 30, true])
    assert.strictEqual(rowOf(judge(of(timedNights), timed(30, 1.01)), "duration", null).verdict, "no evidence")
  })

  it("of a slower night name the scenarios that contributed most, with their share", () => {
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
    assert.deepStrictEqual([Math.round(numberOf(first?.now)), Math.round(numberOf(first?.before))], [12_000, 999])
    assert.approximately(first?.change ?? 0, 11, 0.1)
    assert.approximately(first?.share ?? 0, 11 / (11 + 0.2 * 44), 0.01)
    assert.isUndefined(contributorsOf(even(30, 1)))
  })

  it("below 20 ms are not distinguished, however steady they were", () => {
    const short = (day: number, time_ms: number) => {
      const { id: _, ...of } = timed(day, 1)
      return night(day, [...of.scenarios, scenario("short", 5, took(time_ms))])
    }
    const nights = Array.from({ length: 30 }, (_, day) => short(day, 0.2))
    assert.strictEqual(rowOf(judge(of(nights), short(30, 19)), "duration", "short").verdict, "no evidence")
    assert.strictEqual(rowOf(judge(of(nights), short(30, 200)), "duration", "short").verdict, "regressed")
  })

  it("are shown as measured", () => {
    // the whole night takes three times as long, and one scenario six times
    const tonight = timed(30, 3)
    const slow = tonight.scenarios.map((one) => (one.name === "s3" ? { ...one, ...took(24_000) } : one))
    const row = rowOf(judge(of(timedNights), night(30, slow)), "duration", "s3")
    assert.deepStrictEqual(
      [row.verdict, Math.round(numberOf(row.now)), Math.round(numberOf(row.before) / 10)],
      ["regressed", 24_000, 401]
    )
    assert.approximately(row.change ?? 0, 4.99, 0.05)
    // next to the other scenarios, which take three times as long
    assert.approximately(row.relativeChange ?? 0, 1, 0.1)
  })

  it("that are usual don't count as slower if the others are faster, nor as faster if they are slower", () => {
    const beside = (factor: number) => {
      const { scenarios } = timed(30, factor)
      const usual = scenarios.map((one) => (one.name === "s3" ? { ...one, ...took(factor < 1 ? 3600 : 4400) } : one))
      const tonight = night(30, usual)
      const row = rowOf(judge(of(timedNights), tonight), "duration", "s3")
      return {
        severity: severityOf(row),
        verdict: row.verdict,
        isSuspect: suspects(of(timedNights), tonight).some(({ name }) => name === "s3")
      }
    }
    const same = { severity: "none", verdict: "no evidence", isSuspect: false }
    assert.deepStrictEqual([beside(0.5), beside(2)], [same, same])
  })

  it("are unusual if chance hardly explains them, and not if they are only slightly longer", () => {
    // nights of one scenario differ too much for evidence
    const wild = (day: number, factor: number, time_ms: number) =>
      night(day, [...timed(day, factor).scenarios, scenario("wild", 5, took(time_ms))])
    const nights = Array.from({ length: 6 }, (_, day) => wild(day, 1, 1000 * 3 ** Math.sin(5 * day)))
    const isUnusual = (factor: number, time_ms: number) =>
      rowOf(judge(of(nights), wild(6, factor, time_ms)), "duration", "wild").isUnusual
    // its nights differ by a factor of nine, and five times as long is no evidence
    assert.deepStrictEqual([isUnusual(1, 5000), isUnusual(1, 45_000), isUnusual(0.2, 950)], [false, true, false])
  })

  it("of one scenario regress without those of the night", () => {
    const slow = (day: number, factor = 2) => {
      const { id: _, ...of } = timed(day, 1)
      const scenarios = of.scenarios.map((one) => (one.name === "s3" ? { ...one, ...took(4000 * factor) } : one))
      return night(day, scenarios)
    }
    const judgement = judge(of(timedNights), slow(30))
    const row = rowOf(judgement, "duration", "s3")
    assert.strictEqual(row.verdict, "regressed")
    assert.deepStrictEqual(
      [numberOf(row.now), numberOf(row.before), 100 * (row.change ?? 0), 100 * (row.relativeChange ?? 0)].map(
        Math.round
      ),
      [8000, 4010, 100, 102]
    )
    assert.strictEqual(rowOf(judgement, "duration", null).verdict, "no evidence")
    // what was slow in the last nights and is well tonight is no news
    const its = { figure: "duration", scenario: { suite: "shop", name: "s3" }, since: slow(30).startedAt } as const
    const lately = [slow(30), slow(31)].map((of): Night => ({ ...of, regressed: [its] }))
    const verdictOf = (tonight: Night) =>
      rowOf(judge(of([...timedNights, ...lately]), tonight), "duration", "s3").verdict
    assert.deepStrictEqual([verdictOf(slow(32)), verdictOf(slow(32, 1))], ["regressed", "no evidence"])
  })

  it("of interrupted scenarios don't count for the whole night, unless most were interrupted", () => {
    const tonight = (cut: number, factor: number, passed = 3, none = 0) => {
      const { scenarios } = timed(30, 1)
      const short = { trials: 3, scored: 3, passed, failed: 3 - passed, unrun: 2 }
      return night(
        30,
        scenarios.map((one, index) => {
          const { durations, ...untimed } = one
          if (index >= 20 - none) return { ...untimed, trials: 0, scored: 0, passed: 0, unrun: 5 }
          if (index >= cut || durations === undefined) return one
          const median_ms = durations.median_ms * factor
          return { ...one, ...short, durations: { count: passed, mean_log: Math.log(median_ms), median_ms } }
        }),
        { partial: { _tag: "Stopped", isShard: false } }
      )
    }
    const judged = (cut: number, factor: number, passed?: number) =>
      judge(of(timedNights), tonight(cut, factor, passed))
    const nightOf = (cut: number, factor: number) => rowOf(judged(cut, factor), "duration", null)
    assert.strictEqual(nightOf(10, 0.5).change, nightOf(10, 2).change)
    assert.deepStrictEqual([nightOf(10, 0.5).verdict, nightOf(10, 2).verdict], ["no evidence", "no evidence"])
    // a scenario without a duration is no such scenario
    const withNone = (factor: number) => rowOf(judge(of(timedNights), tonight(5, factor, 3, 9)), "duration", null)
    assert.strictEqual(withNone(0.5).change, withNone(2).change)
    assert.deepStrictEqual([nightOf(11, 2).verdict, nightOf(20, 2).verdict], ["regressed", "regressed"])
    // one of them is still compared with the others, by half of the planned trials or more
    assert.strictEqual(rowOf(judged(1, 2), "duration", "s0").verdict, "regressed")
    const few = judged(1, 2, 2).rows.filter(({ scenario }) => scenario?.name === "s0")
    assert.deepStrictEqual(
      few.map(({ figure }) => figure),
      ["pass rate"]
    )
  })

  it("of one of two scenarios don't affect the other, nor the night if they are in quarantine", () => {
    const two = (day: number, factor: number) =>
      night(
        day,
        [1, 2].map((index) => {
          const time_ms = 1000 * index * (1 + 0.02 * Math.sin(5 * day) + 0.03 * Math.sin(3 * day + 11 * index))
          return scenario(`s${index}`, 5, took(time_ms * (index === 1 ? factor : 1)))
        })
      )
    const nights = Array.from({ length: 20 }, (_, day) => two(day, 1))
    const verdicts = (factor: number, held: ReadonlyArray<string>) => {
      const judgement = judge(
        of(nights),
        two(20, factor),
        held.map((name) => ({ suite: "shop", name }))
      )
      return [null, "s1", "s2"].map((name) => rowOf(judgement, "duration", name).verdict)
    }
    assert.deepStrictEqual(verdicts(0.5, []), ["improved", "improved", "no evidence"])
    assert.deepStrictEqual(verdicts(2, []), ["regressed", "regressed", "no evidence"])
    assert.deepStrictEqual(verdicts(2, ["s1"]), ["no evidence", "regressed", "no evidence"])
  })

  it("of an unchanged scenario don't count as slower if most of a few others are faster", () => {
    const nightOf = (day: number, count: number, others: number) =>
      night(
        day,
        Array.from({ length: count }, (_, at) => {
          const noise = 1 + 0.05 * Math.sin(3 * day + 11 * at) + 0.02 * Math.sin(5 * day)
          return scenario(`s${at}`, 5, took(1000 * (at + 1) * noise * (at === 0 ? 1 : others)))
        })
      )
    for (const count of [2, 3, 5]) {
      const past = Array.from({ length: 30 }, (_, day) => nightOf(day, count, 1))
      for (const others of [0.8, 0.5]) {
        for (let day = 30; day < 40; day++) {
          const judgement = judge(of(past), nightOf(day, count, others))
          const verdicts = ["s0", null].map((name) => rowOf(judgement, "duration", name).verdict)
          assert.notInclude(verdicts, "regressed", `${count} at ${others}, ${day}`)
        }
      }
    }
  })
})
