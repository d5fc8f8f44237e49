import { assert, describe, it } from "@effect/vitest"
import { judge } from "@webagent/nights/Judge"
import { type Night, type NightScenario, ofReport } from "@webagent/nights/Night"
import { type Finding, ofSeverity, statusOf } from "@webagent/report/Finding"
import { conclude } from "../src/Conclusion.ts"
import { findingsOf } from "../src/Findings.ts"
import { judgeNight } from "../src/NightFindings.ts"
import { countsOf, type RunReport, type ScenarioResult, verdictOf } from "@webagent/report/RunReport"
import type { Trial } from "@webagent/report/Trial"
import * as Schema from "effect/Schema"
import { result as record } from "@webagent/test-fixtures/Reports"
import { night, scenario, took } from "./nights.ts"
import { green, trialOf as trial } from "./reports.ts"
import { of, rate, recorded, rowOf, steady, timed, tonight } from "./judged.ts"

/** Errors by their kind and the names of their scenarios. */
const errorsIn = (findings: ReadonlyArray<Finding>) =>
  ofSeverity(findings, "error").map(({ kind, scenarios }) =>
    [kind._tag === "Incomplete" ? kind.why._tag : kind._tag, ...scenarios.map(({ name }) => name)].join(" ")
  )

const judgedAndRecorded = (before: ReadonlyArray<Night>, one: Night): ReadonlyArray<Night> => [
  ...before,
  recorded(one, judgeNight(of(before), one).judgement)
]

/** Nights that were judged and recorded one after the other, as the harness does. */
const recordedOf = (first: ReadonlyArray<Night>, next: ReadonlyArray<Night>) => {
  const nights = [...first]
  return next.map((one) => {
    const verdict = judgeNight(of(nights), one)
    nights.push(recorded(one, verdict.judgement))
    return verdict
  })
}

describe("nights that were once judged wrong", () => {
  const flakyNight = (day: number, flaky: number, change: Partial<NightScenario> = {}) =>
    night(
      day,
      Array.from({ length: 20 }, (_, index) => scenario(`s${index}`, index < flaky ? 3 : 5, change))
    )

  it("pass if they are perfect, even after two bad ones in the same window", () => {
    const first = Array.from({ length: 30 }, (_, day) => flakyNight(day, 0))
    const worse = { ...took(3000), cost_usd: "0.15" }
    const failing = (day: number) =>
      night(
        day,
        Array.from({ length: 20 }, (_, index) => scenario(`s${index}`, index < 9 ? 1 : 5, worse))
      )
    const [, , perfect] = recordedOf(first, [failing(30), failing(31), flakyNight(32, 0)])
    assert.deepStrictEqual([perfect?.status, perfect?.findings], ["passed", []])
  })

  const wobble = (day: number, by = 0.02) => 1 + by * Math.sin(5 * day)
  const slowly = (day: number, factor: number, cost = 1) => timed(day, factor * wobble(day), cost)
  const uneven = (nights: number) => Array.from({ length: nights }, (_, day) => timed(day, wobble(day, 0.3)))

  it("still fail if they are slow after an earlier slow night", () => {
    const longer = (day: number, factor: number, cost = 1) => timed(day, factor * wobble(day, 0.3), cost)
    const slow = [longer(5, 3, 2), longer(6, 4), longer(7, 4), longer(8, 5), longer(9, 6)]
    const verdicts = recordedOf(uneven(5), slow).map(({ judgement }) => rowOf(judgement, "duration", null).verdict)
    assert.deepStrictEqual(verdicts, ["regressed", "regressed", "regressed", "regressed", "regressed"])
    const [first] = recordedOf(uneven(5), slow.slice(0, 1))
    assert.strictEqual(first && rowOf(first.judgement, "cost", null).verdict, "regressed")
  })

  it("fail immediately if one takes three times as long as seven uneven ones", () => {
    assert.strictEqual(judgeNight(of(uneven(7)), timed(7, 3 * wobble(7, 0.3))).status, "failed")
  })

  it("leave the baseline of durations if their cost regressed", () => {
    const good = Array.from({ length: 8 }, (_, day) => slowly(day, 1))
    const bad = {
      ...slowly(8, 2),
      regressed: [{ figure: "cost", scenario: null, since: slowly(8, 2).startedAt }]
    } as const
    const row = rowOf(judge(of([...good, bad]), slowly(9, 2)), "duration", null)
    // the eight good nights
    assert.deepStrictEqual([row.verdict, row.nights], ["regressed", 8])
  })

  it("pass with scenarios that were always flaky", () => {
    const nights = Array.from({ length: 12 }, (_, day) => flakyNight(day, 4))
    assert.deepStrictEqual(errorsIn(judgeNight(of(nights), flakyNight(12, 4)).findings), [])
    const failing = Array.from({ length: 30 }, (_, day) => night(day, [scenario("weak", day % 3)]))
    assert.deepStrictEqual(errorsIn(judgeNight(of(failing), night(30, [scenario("weak", 1)])).findings), [])
  })

  it("don't call a flake usual that no earlier night had", () => {
    const rows = (nights: ReadonlyArray<Night>) => judge(of(nights), night(12, [scenario("often", 4)]))
    const firstEver = Array.from({ length: 12 }, (_, day) => night(day, [scenario("often", 5)]))
    const known = firstEver.map((one, day) => (day === 3 ? night(3, [scenario("often", 4)]) : one))
    assert.deepStrictEqual(
      [firstEver, known].map((nights) => rowOf(rows(nights), "pass rate", "often").before),
      [rate(60, 60), rate(59, 60)]
    )
  })

  const withNew = (day: number, passed: number, change: Partial<NightScenario> = {}) => {
    const { scenarios } = flakyNight(day, 4)
    return night(day, [...scenarios, scenario("new", passed, change)])
  }
  const rateOfNew = (nights: ReadonlyArray<Night>, tonight: Night) => {
    const verdict = judgeNight(of(nights), tonight)
    const { before, lack, now } = rowOf(verdict.judgement, "pass rate", "new")
    return { status: verdict.status as string, now, before, lack: lack as object | undefined }
  }

  it("warn about a new scenario that fails some trials, and fail if it fails all", () => {
    const nights = Array.from({ length: 12 }, (_, day) => flakyNight(day, 4))
    const rated = (status: string, passed: number, code: "new" | "changed" = "new") => ({
      status,
      now: rate(passed, 5),
      before: null,
      lack: { _tag: "FewRuns", needed: 5, code }
    })
    assert.deepStrictEqual(rateOfNew(nights, withNew(12, 4)), rated("warning", 4))
    assert.deepStrictEqual(rateOfNew(nights, withNew(12, 1)), rated("warning", 1))
    assert.deepStrictEqual(rateOfNew(nights, withNew(12, 5)), rated("passed", 5))
    assert.deepStrictEqual(errorsIn(judgeNight(of(nights), withNew(12, 0)).findings), ["Failed new"])
    const before = [...nights.slice(0, 11), withNew(11, 5, { source: "bb" })]
    assert.deepStrictEqual(rateOfNew(before, withNew(12, 4)), rated("warning", 4, "changed"))
  })

  it("accept a young scenario's failures at the general rate, and otherwise warn", () => {
    const nights = Array.from({ length: 12 }, (_, day) => flakyNight(day, 4))
    const few = (passed: number) => [...nights, withNew(12, passed)]
    const rated = (status: string, passed: number, before: number) => ({
      status,
      now: rate(passed, 5),
      before: rate(before, 5),
      lack: { _tag: "FewRuns", needed: 5 }
    })
    assert.deepStrictEqual(rateOfNew(few(4), withNew(13, 4)), rated("passed", 4, 4))
    assert.deepStrictEqual(rateOfNew(few(5), withNew(13, 1)), rated("warning", 1, 5))
    assert.strictEqual(judgeNight(of(few(5)), withNew(13, 0)).status, "failed")
  })

  it("fail for a flaky scenario with fewer than five earlier nights, unless these had the flake", () => {
    const nights = Array.from({ length: 4 }, (_, day) => flakyNight(day, 4))
    assert.strictEqual(judgeNight(of(nights), withNew(4, 4)).status, "failed")
    assert.deepStrictEqual(judgeNight(of(nights), flakyNight(4, 4)).findings, [])
    assert.strictEqual(judgeNight(of([...nights, flakyNight(4, 4)]), withNew(5, 4)).status, "warning")
    const first = judgeNight(of([]), flakyNight(0, 1))
    assert.deepStrictEqual([first.status, first.judgement.rows.some(({ isUnusual }) => isUnusual)], ["failed", false])
  })

  it("don't compare the duration of a single passed trial", () => {
    const nights = Array.from({ length: 30 }, (_, day) => timed(day, 1))
    const { scenarios } = timed(30, 1)
    const durations = { count: 1, mean_log: Math.log(3000), median_ms: 3000 }
    const few = { durations, passed: 1, failed: 4, verdict: "flaky" } as const
    const judgement = judge(
      of(nights),
      night(
        30,
        scenarios.map((its) => (its.name === "s0" ? { ...its, ...few } : its))
      )
    )
    assert.isUndefined(judgement.rows.find((row) => row.figure === "duration" && row.scenario?.name === "s0"))
  })

  it("fail when an improvement is lost again after ten nights", () => {
    const nights = Array.from({ length: 40 }, (_, day) => timed(day, day < 30 ? 1 : 0.8))
    assert.strictEqual(rowOf(judge(of(nights), timed(40, 1)), "duration", null).verdict, "regressed")
  })
})

describe("a night judged by its report and by its history line", () => {
  const trialsOf = (passed: number, change: Partial<Trial> = {}, first: Partial<Trial> = {}) =>
    Array.from({ length: 5 }, (_, at) =>
      trial({ verdict: at < passed ? "passed" : "failed", duration_ms: 1000, ...change, ...(at === 0 ? first : {}) })
    )
  const resultOf = (name: string, trials: ReadonlyArray<Trial>, change: Partial<ScenarioResult> = {}) => ({
    ...record,
    name,
    source: "aa",
    verdict: verdictOf(trials),
    trials,
    ...change
  })
  const skipped = { verdict: "skipped", skip: { _tag: "CostLimit", limit_usd: "5" } } as const
  const quarantined = (expired: boolean) => ({
    quarantine: { owner: "ann", reason: "known", expires: "2026-12-01", expired }
  })
  const breach = {
    invariant: "created-twice",
    facts: { _tag: "Reported", text: "one run was made twice.", entries: [] } as const,
    resource: "r-1"
  }
  const limit = { exceeded: [{ _tag: "MaxDuration", limit_ms: 500, actual_ms: 1000 }] } as const
  const changes: Readonly<Record<string, (passed: number) => ReturnType<typeof resultOf>>> = {
    "as it is": (passed) => resultOf("often", trialsOf(passed)),
    "in quarantine": (passed) => resultOf("often", trialsOf(passed), quarantined(false)),
    "in quarantine past its expiry": (passed) => resultOf("often", trialsOf(passed), quarantined(true)),
    "slow and in quarantine": (passed) =>
      resultOf("often", trialsOf(passed, { duration_ms: 9000 }), quarantined(false)),
    "four times as slow": (passed) => resultOf("often", trialsOf(passed, { duration_ms: 4000 })),
    "with a leak": (passed) =>
      resultOf("often", trialsOf(passed, {}, { leakedBrowsers: [{ id: "b", stopped: true }] })),
    "with a broken invariant": (passed) => resultOf("often", trialsOf(passed, {}, { breaches: [breach] })),
    "with an unknown cost": (passed) => resultOf("often", trialsOf(passed, {}, { costUnknown: ["r-1"] })),
    "with an unknown cost and in quarantine": (passed) =>
      resultOf("often", trialsOf(passed, {}, { costUnknown: ["r-1"] }), quarantined(false)),
    "over its limits": (passed) => resultOf("often", trialsOf(passed), limit),
    claimed: () => resultOf("often", trialsOf(0, { verdict: "claimed" })),
    "without a response of the service": () => resultOf("often", trialsOf(0, { verdict: "infra" })),
    "not judged": () => resultOf("often", trialsOf(0, { verdict: "unscored" })),
    "cut short": (passed) => resultOf("often", trialsOf(passed, {}, skipped)),
    changed: (passed) => resultOf("often", trialsOf(passed), { source: "bb" }),
    new: (passed) => resultOf("new", trialsOf(passed))
  }
  const often = (passed: ReadonlyArray<number>) =>
    passed.map((count, day) => night(day, [scenario("always"), scenario("often", count)], { seed: day }))
  const histories: Readonly<Record<string, ReadonlyArray<Night>>> = {
    none: [],
    "three nights": often([5, 4, 5]),
    "five nights": often([5, 5, 4, 5, 5]),
    "twelve nights of a steady scenario": often(Array.from({ length: 12 }, () => 5)),
    "twelve nights of a flaky scenario": often(Array.from({ length: 12 }, (_, day) => 2 + (day % 3))),
    "twelve nights, two of them with the scenario": Array.from({ length: 12 }, (_, day) =>
      night(day, [scenario("always"), ...(day < 10 ? [] : [scenario("often", 4)])])
    )
  }
  it("gets one verdict if no scenario ran", () => {
    const bare = { ...green, results: [], counts: countsOf([]) }
    const report = conclude(bare)
    assert.strictEqual(statusOf(report.findings), "failed")
    assert.deepStrictEqual(errorsIn(judgeNight(of([]), ofReport(report)).findings), ["Partial"])
  })

  for (const [before, nights] of Object.entries(histories)) {
    it(`gets one verdict: ${before}`, () => {
      const seen = new Set<string>()
      for (const [what, make] of Object.entries(changes)) {
        for (const passed of [0, 1, 3, 4, 5]) {
          const results = [
            ...Array.from({ length: 7 }, (_, at) => resultOf(at === 0 ? "always" : `other ${at}`, trialsOf(5))),
            make(passed)
          ]
          const header = { ...green.header, trials: 5 }
          const bare: RunReport = { ...green, header, results, counts: countsOf(results) }
          const held = results.filter(({ quarantine }) => quarantine?.expired === false)
          const past = of(nights)
          const judged = { ...bare, judgement: judge(past, ofReport(bare), held) }
          const report = conclude(judged)
          const status = statusOf(report.findings)
          assert.strictEqual(judgeNight(past, ofReport(report)).status, status, `${what}, ${passed} of 5 passed`)
          seen.add(status)
        }
      }
      assert.include([...seen], "failed")
      assert.include([...seen], "passed")
      assert.strictEqual(seen.has("warning"), nights.length >= 5)
    })
  }
})

describe("a scenario that passed no trial tonight", () => {
  const Trials = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8 }))
  const Passed = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 8 }))
  const History = Schema.Array(Passed).check(Schema.isMaxLength(14))

  it.prop(
    "fails the night whatever the history and the extra trials show, in the run and from its history",
    [Trials, Trials, History, Schema.Boolean, Schema.Boolean],
    ([trials, confirmed, passedBefore, isRecorded, isClaimed]) => {
      const nights = passedBefore.map((passed, day) =>
        night(day, [scenario("always"), scenario("weak", Math.min(passed, trials), { scored: trials })])
      )
      const past = of(isRecorded ? nights.reduce<ReadonlyArray<Night>>(judgedAndRecorded, []) : nights)
      const failed = (count: number) =>
        Array.from({ length: count }, () => trial({ verdict: isClaimed ? "claimed" : "failed" }))
      const weak: ScenarioResult = {
        ...record,
        name: "weak",
        source: "aa",
        verdict: verdictOf(failed(trials)),
        trials: failed(trials),
        confirm: { figure: "pass rate", outcome: "not confirmed", trials: failed(confirmed) }
      }
      const results = [{ ...record, name: "always", source: "aa", trials: [trial()] }, weak]
      const header = { ...green.header, trials: 5 }
      const bare: RunReport = { ...green, header, results, counts: countsOf(results) }
      const judged = { ...bare, judgement: judge(past, ofReport(bare)) }
      const report = conclude(judged)
      assert.deepStrictEqual(
        [statusOf(report.findings), judgeNight(past, ofReport(report)).status],
        ["failed", "failed"]
      )
      // quarantine is the only exception, and it is reported
      const quarantine = { owner: "ann", reason: "known", expires: "2026-12-01", expired: false }
      const held = { ...report, results: results.map((one) => (one === weak ? { ...one, quarantine } : one)) }
      const findings = findingsOf(held)
      assert.notInclude(errorsIn(findings), "Failed weak")
      const known = findings.find(({ kind }) => kind._tag === "Quarantined")
      assert.deepStrictEqual([known?.severity, known?.scenarios.map(({ name }) => name)], ["note", ["weak"]])
    },
    { arbitrary: { seed: 1, runs: 200 } }
  )
})

describe("a verdict from the history alone", () => {
  const nights = steady(12)
  const errorsOf = (change: Partial<NightScenario>, passed = 5) =>
    errorsIn(judgeNight(of(nights), tonight(12, passed, change)).findings)

  it("fails for a scenario beyond its own limits", () => {
    assert.deepStrictEqual(errorsOf({ exceeded: [{ _tag: "MaxDuration", limit_ms: 500, actual_ms: 1000 }] }), [
      "LimitExceeded often"
    ])
  })

  it("fails for a night in which no scenario ran", () => {
    const none = judgeNight(of(nights), night(12, []))
    assert.deepStrictEqual([none.status, errorsIn(none.findings)], ["failed", ["NothingRan"]])
  })

  it("has one reason for a scenario that leaked and whose trials passed", () => {
    assert.deepStrictEqual(errorsOf({ leaks: 2, verdict: "failed" }), ["Leak often"])
    assert.include(errorsOf({ verdict: "failed" }), "Failed often")
  })

  it("ignores a failure in quarantine until that expires", () => {
    assert.isAbove(errorsOf({}, 0).length, 0)
    assert.deepStrictEqual(errorsOf({ quarantine: { expired: false } }, 0), [])
    assert.include(errorsOf({ quarantine: { expired: true } }, 0), "QuarantineExpired often")
  })
})
