import { assert, describe, it } from "@effect/vitest"
import { failureTest, ofDurations, ofFailures, type State } from "../src/Confirm.ts"
import { judge, suspects } from "../src/Judge.ts"
import type { NightScenario } from "../src/Night.ts"
import { drawing } from "@webagent/statistics/Drawing"
import { middleMean } from "@webagent/statistics/Robust"
import { night, took } from "./nights.ts"
import { normal, of, rowOf, steady, timed, tonight } from "./judged.ts"

describe("confirm trials", () => {
  const nights = steady(30)
  const confirm = (passed: number, scored: number) => ({ confirm: { figure: "pass rate", passed, scored } as const })

  it("are asked for of what failed, and of nothing else", () => {
    assert.deepStrictEqual(
      suspects(of(nights), tonight(30, 3)).map(({ figure, name }) => [figure, name]),
      [["pass rate", "often"]]
    )
    assert.deepStrictEqual(suspects(of(nights), tonight(30, 5)), [])
  })

  it("confirm a fall in the same night that its planned trials do not show", () => {
    assert.strictEqual(rowOf(judge(of(nights), tonight(30, 3)), "pass rate", "often").verdict, "no evidence")
    const row = rowOf(judge(of(nights), tonight(30, 3, confirm(3, 12))), "pass rate", "often")
    assert.strictEqual(row.verdict, "regressed")
    assert.include(row.evidence, "3 of 12 confirm trials passed")
  })

  it("that pass acquit a scenario that failed by chance", () => {
    const row = rowOf(judge(of(nights), tonight(30, 1, confirm(30, 30))), "pass rate", "often")
    assert.deepStrictEqual([row.verdict, row.tier], ["no evidence", "unusual"])
  })

  it("acquit a scenario that was slow by chance, and serve the test of its failures too", () => {
    const nights = Array.from({ length: 30 }, (_, day) => timed(day, 1))
    const slow = (change: Partial<NightScenario>) => {
      const { scenarios } = timed(30, 1)
      return night(
        30,
        scenarios.map((its) => (its.name === "s0" ? { ...its, ...took(1500), ...change } : its))
      )
    }
    const rows = (change: Partial<NightScenario>) =>
      (["duration", "pass rate"] as const).map((figure) => rowOf(judge(of(nights), slow(change)), figure, "s0").verdict)
    const told = (passed: number, scored: number, time_ms: number) =>
      ({ confirm: { figure: "duration", passed, scored, middle_log: Math.log(time_ms) } }) as const
    assert.deepStrictEqual(rows({}), ["regressed", "no evidence"])
    assert.deepStrictEqual(rows(told(60, 60, 1000)), ["no evidence", "no evidence"])
    const failing = { passed: 4, failed: 1, verdict: "flaky" } as const
    assert.deepStrictEqual(rows({ ...failing, ...told(10, 30, 1000) })[1], "regressed")
    assert.lengthOf(suspects(of(nights), slow(failing)), 1)
  })

  it("are no part of the baseline", () => {
    const with20 = nights.map((one) => ({
      ...one,
      scenarios: one.scenarios.map((its) => (its.name === "often" ? { ...its, ...confirm(20, 20) } : its))
    }))
    assert.strictEqual(rowOf(judge(of(with20), tonight(30, 4)), "pass rate", "often").before, "142 of 150")
  })

  it("end when the result is certain, or hardly possible any more", () => {
    const test = failureTest({ failed: 1, passed: 99 }, 0.001)
    assert.deepStrictEqual(
      [ofFailures(test, test.critical, test.critical), ofFailures(test, 0, 1), ofFailures(test, 0, 40)],
      ["confirmed", "more", "not confirmed"]
    )
  })

  it("keep the error rate, whenever they end", () => {
    const next = drawing(5)
    const test = failureTest({ failed: 500, passed: 9500 }, 0.01)
    let confirmed = 0
    for (let run = 0; run < 4000; run++) {
      let [failed, trials] = [0, 0]
      let state = ofFailures(test, 0, 0)
      while (state === "more") {
        trials++
        if (next() < 0.05) failed++
        state = ofFailures(test, failed, trials)
      }
      if (state === "confirmed") confirmed++
    }
    assert.isAtMost(confirmed / 4000, 0.01)
    assert.isAbove(confirmed, 0)
  })

  it("of durations keep the error rate whenever they end, and confirm what takes half as long again", () => {
    const next = drawing(6)
    const runs = 2000
    const known = { usual: 0, deviation: 0.4, shared: 0.002, tolerated: Math.log(1.1) }
    const variance = 0.03
    const run = (shift: number, level: number) => {
      let [confirmed, trials] = [0, 0]
      for (let run = 0; run < runs; run++) {
        const usual = Math.sqrt(known.shared) * normal(next)
        const planned = { shift: shift + usual + Math.sqrt(variance) * normal(next), variance }
        const logs: Array<number> = []
        let state: State = "more"
        while (state === "more") {
          logs.push(shift + usual + known.deviation * normal(next))
          state = ofDurations({ ...known, planned, level }, logs.length, middleMean(logs))
        }
        trials += logs.length
        if (state === "confirmed") confirmed++
      }
      return { confirmed: confirmed / runs, trials: trials / runs }
    }
    assert.isAtMost(run(0, 0.01).confirmed, 0.01)
    // the planned median was that of outliers
    const wild = { ...known, level: 0.0001, planned: { shift: 1, variance } }
    assert.strictEqual(ofDurations(wild, 40, 0.1), "not confirmed")
    assert.strictEqual(ofDurations(wild, 40, 0.6), "confirmed")
    const strict = 0.0001
    assert.isBelow(run(0, strict).trials, 20)
    assert.isAbove(run(Math.log(1.5), strict).confirmed, 0.9)
  })
})
