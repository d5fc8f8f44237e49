import { assert, describe, it } from "@effect/vitest"
import type { Night } from "../src/Night.ts"
import * as NightComparison from "../src/NightComparison.ts"
import type { RunReport } from "@webagent/report/RunReport"
import type { Trial } from "@webagent/report/Trial"
import { green, trial } from "./reports.ts"
import { numberOf, rate } from "./judged.ts"
import { night, scenario, took } from "./nights.ts"

const compare = (a: NightComparison.Compared, b: NightComparison.Compared, nights: ReadonlyArray<Night> = []) =>
  NightComparison.compare(a, b, nights)
const byCounts = (of: Night): NightComparison.Compared => ({ night: of, report: undefined })
const rowOf = ({ rows }: NightComparison.NightComparison, figure: string, name: string | null) =>
  rows.find((row) => row.figure === figure && (row.scenario?.name ?? null) === name)

describe("two nights compared by their counts", () => {
  const all = (passed: number) => [scenario("pays", passed, { scored: 40 }), scenario("looks", 40, { scored: 40 })]

  it("show a regression by Fisher's test, and the smallest detectable drop of the other scenario", () => {
    const comparison = compare(byCounts(night(0, all(38))), byCounts(night(1, all(20))))
    assert.deepStrictEqual([comparison.verdict, comparison.scenarios, comparison.pairs], ["regressed", 2, 0])
    const pays = rowOf(comparison, "pass rate", "pays")
    assert.strictEqual(pays?.verdict, "regressed")
    assert.deepStrictEqual([pays?.now, pays?.before, (pays?.pValue ?? 1) < 0.0001], [rate(20, 40), rate(38, 40), true])
    assert.isBelow(numberOf(rowOf(comparison, "pass rate", "looks")?.detectable?.amount), 1)
    assert.strictEqual(rowOf(comparison, "pass rate", null)?.verdict, "regressed")
  })

  it("show no evidence for a smaller change, and an improvement is no regression", () => {
    assert.strictEqual(compare(byCounts(night(0, all(38))), byCounts(night(1, all(34)))).verdict, "no evidence")
    assert.strictEqual(compare(byCounts(night(0, all(20))), byCounts(night(1, all(38)))).verdict, "improved")
  })

  it("omit a changed scenario", () => {
    const anew = night(1, [scenario("pays", 0, { source: "bb" }), scenario("looks", 5)])
    assert.strictEqual(compare(byCounts(night(0, [scenario("pays"), scenario("looks")])), byCounts(anew)).scenarios, 1)
  })

  it("name scenarios that only one of them scored, without a verdict", () => {
    const away = [scenario("pays", 0, { scored: 0, infra: 5 }), scenario("looks")]
    const well = [scenario("pays"), scenario("looks")]
    const { differences, scenarios } = compare(byCounts(night(0, well)), byCounts(night(1, away)))
    assert.deepStrictEqual([scenarios, differences], [1, ["1 scenario of the other not scored in the second"]])
    const back = compare(byCounts(night(0, away)), byCounts(night(1, well)))
    assert.deepStrictEqual(back.differences, ["1 scenario of the other not scored in the first"])
  })

  it("correct for the number of scenarios", () => {
    const many = (day: number, bad: number) =>
      night(
        day,
        // the others fail often enough to raise an alarm
        Array.from({ length: 30 }, (_, index) => scenario(`s${index}`, index === 3 ? bad : 12, { scored: 20 }))
      )
    // by itself p is 0.0101
    assert.strictEqual(
      rowOf(compare(byCounts(many(0, 20)), byCounts(many(1, 14))), "pass rate", "s3")?.verdict,
      "no evidence"
    )
    const one = (day: number, bad: number) => night(day, [scenario("s3", bad, { scored: 20 })])
    assert.strictEqual(
      rowOf(compare(byCounts(one(0, 20)), byCounts(one(1, 14))), "pass rate", "s3")?.verdict,
      "regressed"
    )
  })
})

describe("one of a hundred scenarios that now always fails", () => {
  const steady = Array.from({ length: 99 }, (_, index) => scenario(`s${index}`))
  const of = (day: number, passed: number) => night(day, [...steady, scenario("pays", passed)])

  it("is detected in five trials, although scenarios that never failed are included", () => {
    const comparison = compare(byCounts(of(0, 5)), byCounts(of(1, 0)))
    assert.strictEqual(comparison.verdict, "regressed")
    const pays = rowOf(comparison, "pass rate", "pays")
    assert.deepStrictEqual([pays?.now, pays?.before, pays?.pValue?.toFixed(4)], [rate(0, 5), rate(5, 5), "0.0040"])
  })

  it("is detected with pairs as well, while five pairs are too few", () => {
    const verdicts = (verdict: "passed" | "failed") =>
      Array.from({ length: 5 }, (_, index) => trial({ index, seed: index, verdict }))
    const report = (verdict: "passed" | "failed"): RunReport => ({
      ...green,
      results: green.results.slice(0, 1).map((result) => ({
        ...result,
        suite: "shop",
        name: "pays",
        trials: verdicts(verdict)
      }))
    })
    const [a, b] = [night(0, [scenario("pays", 5)]), night(1, [scenario("pays", 0)])]
    const comparison = compare({ night: a, report: report("passed") }, { night: b, report: report("failed") })
    assert.deepStrictEqual([comparison.pairs, comparison.verdict], [5, "regressed"])
    const same = compare({ night: a, report: report("passed") }, { night: a, report: report("passed") })
    assert.isBelow(numberOf(rowOf(same, "pass rate", "pays")?.detectable?.amount), 1)
  })
})

describe("two nights with the same seeds", () => {
  const report = (verdicts: ReadonlyArray<Trial["verdict"]>): RunReport => ({
    ...green,
    results: green.results.slice(0, 1).map((result) => ({
      ...result,
      trials: verdicts.map((verdict, index) => trial({ index, seed: 100 + index, verdict }))
    }))
  })
  const of = (day: number, verdicts: ReadonlyArray<Trial["verdict"]>): NightComparison.Compared => {
    const passed = verdicts.filter((verdict) => verdict === "passed").length
    const its = scenario("a run completes", passed, { suite: "v4-runs", scored: verdicts.length })
    return { night: night(day, [its]), report: report(verdicts) }
  }
  const verdicts = (passes: (index: number) => boolean) =>
    Array.from({ length: 40 }, (_, index): Trial["verdict"] => (passes(index) ? "passed" : "failed"))

  it("are paired, and show more than their counts", () => {
    // half of the trials always fail; of the others eight are lost
    const a = of(
      0,
      verdicts((index) => index % 2 === 0)
    )
    const b = of(
      1,
      verdicts((index) => index % 2 === 0 && index >= 16)
    )
    const comparison = compare(a, b)
    assert.strictEqual(comparison.pairs, 40)
    const row = rowOf(comparison, "pass rate", "a run completes")
    assert.deepStrictEqual(
      [row?.verdict, row?.now, row?.before, row?.pairs, row?.pValue?.toFixed(4)],
      ["regressed", rate(12, 40), rate(20, 40), { lost: 8, won: 0, of: 40 }, "0.0039"]
    )
    assert.strictEqual(compare(byCounts(a.night), byCounts(b.night)).verdict, "no evidence")
  })
})

describe("durations of two nights", () => {
  const timed = (day: number, factor: number) =>
    night(day, [scenario("a", 5, took(1000 * factor)), scenario("b", 5, took(9000 * factor))])
  const others = Array.from({ length: 12 }, (_, day) => timed(day, 1 + 0.02 * Math.sin(5 * day)))

  it("need a history that shows how much nights differ", () => {
    const alone = rowOf(compare(byCounts(timed(20, 1)), byCounts(timed(21, 1.5))), "duration", null)
    assert.strictEqual(alone?.verdict, "not enough data")
    const row = rowOf(compare(byCounts(timed(20, 1)), byCounts(timed(21, 1.15)), others), "duration", null)
    assert.strictEqual(row?.verdict, "regressed")
    assert.deepStrictEqual([row?.change?.toFixed(2), row?.scenarios, row?.nights], ["0.15", 2, 12])
    assert.isAbove(row?.spread ?? 0, 0)
    const small = rowOf(compare(byCounts(timed(20, 1)), byCounts(timed(21, 1.03)), others), "duration", null)
    assert.strictEqual(small?.verdict, "no evidence")
    const same = rowOf(compare(byCounts(timed(20, 1)), byCounts(timed(21, 1)), others), "duration", null)
    assert.closeTo(same?.change ?? 1, 0, 1e-9)
  })
})

describe("a browser leaked in the second night", () => {
  it("is a regression", () => {
    const leaking = night(1, [scenario("pays", 5, { leaks: 1 })])
    assert.strictEqual(compare(byCounts(night(0, [scenario("pays")])), byCounts(leaking)).verdict, "regressed")
  })
})
