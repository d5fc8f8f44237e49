import { assert, describe, it } from "@effect/vitest"
import type { Comparison } from "@webagent/report/Comparison"
import * as CutShort from "@webagent/report/CutShort"
import { statusOf } from "@webagent/report/Finding"
import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import type { Trial } from "@webagent/report/Trial"
import * as Findings from "../../src/Findings.ts"
import { partialOf } from "../../src/words/CutShortText.ts"
import { lastLineOf, titleOf } from "../../src/words/RunText.ts"
import { statusWords } from "../../src/words/Title.ts"
import { reportOf, resultOf, trialOf } from "../reports.ts"

const passed = (count: number): ReadonlyArray<ScenarioResult> =>
  Array.from({ length: count }, (_, index) => resultOf(`passes ${index}`, [trialOf()]))

const failing = (change: Partial<Trial> = {}) =>
  trialOf({ verdict: "failed", failure: { kind: "check", message: "no" }, ...change })
const refusing = (service: string) => failing({ failure: { kind: "check", message: "the order", service } })
const leak = { leakedBrowsers: [{ id: "b-1", stopped: true }] }
const onset = (nights: number) => ({ trials: { since: "2026-11-14T02:00:00.000Z", nights, known: 9 } })

const row = (figure: Comparison["figure"], name?: string): Comparison => ({
  figure,
  scenario: name === undefined ? null : { suite: "shop", name },
  verdict: "regressed",
  isUnusual: false,
  now: null,
  before: null,
  window: 1,
  since: "2026-11-21T02:00:00.000Z",
  nights: 9,
  detectable: null
})

const judged = (...rows: ReadonlyArray<Comparison>): Partial<RunReport> => ({
  judgement: { verdict: "regressed", nights: 9, passedOver: [], differences: [], rows }
})

/** Figures far outside of their earlier nights, and no evidence of any. */
const unusual = (...rows: ReadonlyArray<Comparison>): Partial<RunReport> => ({
  judgement: {
    verdict: "no evidence",
    nights: 9,
    passedOver: [],
    differences: [],
    rows: rows.map((row) => ({
      ...row,
      verdict: row.verdict === "regressed" ? "no evidence" : row.verdict,
      isUnusual: true
    }))
  }
})

const cases: ReadonlyArray<readonly [name: string, report: RunReport, title: string, last: string]> = [
  ["all passed", reportOf(passed(76)), "Passed: all 76 scenarios passed", "PASSED: all 76 scenarios passed"],
  ["one scenario", reportOf(passed(1)), "Passed: 1 of 1 scenario passed", "PASSED: 1 of 1 scenario passed"],
  [
    "new failures and a leak",
    reportOf([
      ...passed(2),
      resultOf("a", [failing()], { onset: onset(1) }),
      resultOf("b", [failing()], { onset: onset(1) }),
      resultOf("c", [trialOf(leak)])
    ]),
    "Failed: 2 new failures, 1 browser leak",
    "FAILED: 2 new failures, 1 browser leak (2 of 5 scenarios passed)"
  ],
  [
    "some failures are old",
    reportOf([resultOf("a", [failing()], { onset: onset(1) }), resultOf("b", [failing()], { onset: onset(7) })]),
    "Failed: 2 failures (1 new), 1 cause",
    "FAILED: 2 failures (1 new), 1 cause (0 of 2 scenarios passed)"
  ],
  [
    "a lower pass rate of the whole night with usual failures",
    reportOf(passed(2), judged({ ...row("pass rate"), now: { _tag: "Rate", passed: 9, scored: 10 } })),
    "Failed: pass rate fell to 90 %",
    "FAILED: pass rate fell to 90 % (although all 2 scenarios passed)"
  ],
  [
    "a leak that isn't counted as a failure as well",
    reportOf([resultOf("c", [trialOf(leak)]), ...passed(1)]),
    "Failed: 1 browser leak",
    "FAILED: 1 browser leak (1 of 2 scenarios passed)"
  ],
  [
    "more kinds than fit into eight words",
    reportOf(
      [resultOf("a", [failing()]), resultOf("b", [trialOf(leak)]), resultOf("f", [failing(), trialOf()])],
      judged(row("cost"), row("duration"))
    ),
    "Failed: 1 failure, 4 other problems",
    "FAILED: 1 failure, 1 browser leak, 1 cost regression, 1 duration regression, 1 flaky scenario (0 of 3 scenarios passed)"
  ],
  [
    "two new kinds that fit only without their age",
    reportOf([
      resultOf("a", [trialOf(leak)], { onset: { invariants: onset(1).trials } }),
      resultOf("b", [failing(), trialOf()], { onset: onset(1) })
    ]),
    "Failed: 1 browser leak, 1 flaky scenario",
    "FAILED: 1 new browser leak, 1 new flaky scenario (0 of 2 scenarios passed)"
  ],
  [
    "stopped",
    reportOf(passed(2), { interrupted: true }),
    "Failed: 1 stopped run",
    "FAILED: 1 stopped run (although all 2 scenarios passed)"
  ],
  [
    "a figure far from earlier nights",
    reportOf(passed(2), unusual(row("duration"))),
    "Warning: 1 unusual duration",
    "WARNING: 1 unusual duration (all 2 scenarios passed)"
  ],
  [
    "an unusual pass rate of a scenario that affects the whole night",
    reportOf(passed(2), unusual(row("pass rate"), row("pass rate", "a"))),
    "Warning: 1 flakier scenario",
    "WARNING: 1 flakier scenario (all 2 scenarios passed)"
  ],
  [
    "a scenario that is new and flaky, and one that was less so before",
    reportOf(
      [...passed(2), resultOf("a", [failing(), trialOf()]), resultOf("b", [failing(), trialOf()])],
      unusual({ ...row("pass rate", "a"), verdict: "not enough data", nights: 0 }, row("pass rate", "b"))
    ),
    "Warning: 1 new flaky scenario, 1 flakier scenario",
    "WARNING: 1 new flaky scenario, 1 flakier scenario (2 of 4 scenarios passed)"
  ],
  [
    "a new failure, its pass rate, and the night's cost",
    reportOf(
      [...passed(75), resultOf("a", [failing()], { onset: onset(1) })],
      judged(row("pass rate"), row("pass rate", "a"), { ...row("cost"), change: 0.97 })
    ),
    "Failed: 1 new failure, cost +97 %",
    "FAILED: 1 new failure, cost +97 % (75 of 76 scenarios passed)"
  ],
  [
    "one scenario slower, and one costlier",
    reportOf(passed(2), judged(row("duration", "passes 0"), row("cost", "passes 1"))),
    "Failed: 1 slower scenario, 1 costlier scenario",
    "FAILED: 1 slower scenario, 1 costlier scenario (although all 2 scenarios passed)"
  ],
  [
    "new failures with the service's error as their only cause",
    reportOf([
      ...passed(5),
      ...["a", "b", "c", "d"].map((name) =>
        resultOf(name, [refusing("login refused: account locked")], { onset: onset(1) })
      )
    ]),
    "Failed: 4 new failures: login refused: account locked",
    "FAILED: 4 new failures, 1 cause (5 of 9 scenarios passed)"
  ],
  [
    "a failure with the service's error, which fits only without its age",
    reportOf([...passed(1), resultOf("a", [refusing("The red cart was empty.")], { onset: onset(1) })]),
    "Failed: 1 failure: The red cart was empty.",
    "FAILED: 1 new failure (1 of 2 scenarios passed)"
  ],
  [
    "a cause with too many words",
    reportOf(["a", "b"].map((name) => resultOf(name, [refusing("this is far too long for any title")]))),
    "Failed: 2 failures, 1 cause",
    "FAILED: 2 failures, 1 cause (0 of 2 scenarios passed)"
  ],
  [
    "a cause with long words",
    reportOf([resultOf("a", [refusing(`no-${"x".repeat(60)}`)])]),
    "Failed: 1 failure",
    "FAILED: 1 failure (0 of 1 scenario passed)"
  ],
  [
    "failures with two causes",
    reportOf([resultOf("a", [refusing("account locked")]), resultOf("b", [refusing("sold out")])]),
    "Failed: 2 failures",
    "FAILED: 2 failures (0 of 2 scenarios passed)"
  ],
  [
    "a cause next to a leak",
    reportOf([resultOf("a", [refusing("account locked")]), resultOf("b", [trialOf(leak)])]),
    "Failed: 1 failure, 1 browser leak",
    "FAILED: 1 failure, 1 browser leak (0 of 2 scenarios passed)"
  ],
  [
    "all scenarios slower, as distinct from the run's duration",
    reportOf(passed(2), judged({ ...row("duration"), change: 2.24 })),
    "Failed: scenario durations +224 %",
    "FAILED: scenario durations +224 % (although all 2 scenarios passed)"
  ],
  [
    "more than a thousand new failures",
    reportOf(Array.from({ length: 1200 }, (_, index) => resultOf(`fails ${index}`, [failing()], { onset: onset(1) }))),
    "Failed: 1,200 new failures, 1 cause",
    "FAILED: 1,200 new failures, 1 cause (0 of 1,200 scenarios passed)"
  ],
  ["nothing ran", reportOf([]), "Failed: 1 incomplete run", "FAILED: 1 incomplete run (no scenario was run)"]
]

describe("a run's headline", () => {
  for (const [name, report, title, last] of cases) {
    it(`${name}: ${title}`, () => {
      const status = statusOf(Findings.findingsOf(report))
      assert.deepStrictEqual([`${statusWords[status]}: ${titleOf(report)}`, lastLineOf(report)], [title, last])
      assert.isAtMost(title.split(" ").length, 8)
    })
  }

  it("says that a run is partial, and which limit made it so, next to its findings", () => {
    const skip = { _tag: "TimeLimit", limit_ms: 1500 } as const
    const unrun = trialOf({ verdict: "skipped", skip })
    const results = [
      ...passed(2),
      resultOf("cut", [trialOf(), unrun, unrun]),
      resultOf("never began", [], { verdict: "skipped", skip }),
      resultOf("never can", [], { verdict: "skipped", skip: { _tag: "Unserved", why: "no mobile" } })
    ]
    const report = reportOf(results)
    const partial = "partial: 2 of 5 scenarios cut short by --max-time"
    assert.strictEqual(titleOf(report), "partial: 2 of 5 scenarios cut short")
    const failed = { ...report, results: [...results, resultOf("a", [failing()])] }
    assert.strictEqual(titleOf(failed), "1 failure · partial")
    assert.strictEqual(lastLineOf(report), `PASSED: all 3 scenarios that ran passed · ${partial}`)
    const lost = { ...report, shards: [{ index: 1, of: 2, startedAt: "", duration_ms: 1, interrupted: false }] }
    assert.include(lastLineOf(lost), "1 of 2 shards missing (all 3 scenarios that ran passed) · partial")
    assert.isUndefined(CutShort.unrun(report))
    assert.strictEqual(CutShort.unrun({ ...report, header: { ...report.header, trials: 3 } }), 5)
    assert.isUndefined(partialOf(reportOf(passed(2))))
    assert.isUndefined(partialOf({ ...report, interrupted: true }))
  })

  it("says that a run is partial if an outage interrupted many of its trials", () => {
    const away = trialOf({ verdict: "infra", reason: "HTTP 503" })
    const report = reportOf([...passed(2), resultOf("away", [away, away], { verdict: "infra" })])
    assert.include(titleOf(report), " · partial")
    assert.match(lastLineOf(report), / · partial: 2 of 4 trials interrupted$/u)
  })

  it("mentions open resources in every title", () => {
    const left = { kind: "browser", id: "b-1", trial: null, state: "open", sentence: "" } as const
    const report = reportOf([resultOf("a", [trialOf(leak)])], {
      leftovers: [left, left, { ...left, state: "stopped" }, { ...left, kind: "run", state: "unknown" }]
    })
    assert.strictEqual(titleOf(report), "1 browser leak · 2 browsers still open")
    assert.include(lastLineOf(report), "(0 of 1 scenario passed) · 2 browsers still open")
  })

  it("omits the cause if it has to mention that a run is partial, or open resources", () => {
    const refused = ["a", "b"].map((name) => resultOf(name, [refusing("account locked")]))
    assert.strictEqual(titleOf(reportOf(refused)), "2 failures: account locked")
    const skip = { _tag: "TimeLimit", limit_ms: 1500 } as const
    const partial = reportOf([...refused, resultOf("never began", [], { verdict: "skipped", skip })])
    assert.strictEqual(titleOf(partial), "2 failures · partial")
    const open = { kind: "run", id: "r-1", trial: null, state: "open", sentence: "" } as const
    assert.strictEqual(titleOf(reportOf(refused, { leftovers: [open] })), "2 failures · 1 run still running")
  })

  it("doesn't count a quarantined scenario as a problem", () => {
    const quarantine = { owner: "ann", reason: "known", expires: "2026-12-01", expired: false }
    const report = reportOf([...passed(2), resultOf("a", [failing()], { quarantine })])
    assert.deepStrictEqual([titleOf(report), Findings.errorsOf(report)], ["2 of 3 scenarios passed", []])
  })
})
