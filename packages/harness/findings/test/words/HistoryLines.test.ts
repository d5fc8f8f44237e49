import { assert, describe, it } from "@effect/vitest"
import type { Comparison } from "@webagent/report/Comparison"
import type { NightJudgement } from "@webagent/report/NightJudgement"
import * as HistoryLines from "../../src/words/HistoryLines.ts"
import { green } from "../reports.ts"

const row = (change: Partial<Comparison>): Comparison => ({
  figure: "pass rate",
  scenario: null,
  verdict: "no evidence",
  isUnusual: false,
  now: { _tag: "Rate", passed: 60, scored: 60 },
  before: { _tag: "Share", share: 1 },
  window: 1,
  since: "2026-01-13T02:00:00.000Z",
  nights: 12,
  detectable: { amount: { _tag: "Share", share: 0.971 } },
  ...change
})

const judgement: NightJudgement = {
  verdict: "no evidence",
  nights: 12,
  passedOver: [],
  differences: ["tool 0.2.0, was 0.1.0"],
  rows: [
    row({}),
    row({ figure: "duration", detectable: { amount: { _tag: "Ratio", ratio: 12 } } }),
    row({ figure: "cost", detectable: null })
  ]
}

describe("the comparison with earlier nights", () => {
  it("is one line, with the smallest detectable change and the differences", () => {
    assert.deepStrictEqual(HistoryLines.lines({ ...green, judgement }), [
      "history  compared with 12 nights: no evidence of a regression. In the whole night, only changes larger than these are detected: pass rate -2.9 points, duration +1,100 %",
      "         tool 0.2.0, was 0.1.0"
    ])
  })

  it("names the tested code", () => {
    const revisions = { suites: { commit: "3f0c1a2b" }, service: { version: "1.4.2" } }
    const report = { ...green, header: { ...green.header, revisions }, judgement }
    assert.include(
      HistoryLines.lines(report)[0],
      ": no evidence of a regression; tested service 1.4.2, suites 3f0c1a2. In the whole night, only"
    )
    assert.match(HistoryLines.compared(report)[1] ?? "", /; tested service 1\.4\.2, suites 3f0c1a2\.$/u)
  })

  it("names the code that changed since the night before, unless a finding does", () => {
    const revisions = { suites: { commit: "3f0c1a2b" }, service: { version: "1.5.0" } }
    const previous = {
      ...revisions,
      startedAt: "2026-01-12T02:00:00.000Z",
      tool: "0.1.0",
      service: { version: "1.4.2" }
    }
    const report = {
      ...green,
      header: { ...green.header, revisions, tool: { name: "webagent-harness", version: "0.1.0" } },
      judgement: { ...judgement, differences: [], previous }
    }
    const changed =
      "service from 1.4.2 to 1.5.0 since the night of 2026-01-12; suites 3f0c1a2 and harness 0.1.0 are the same"
    const [compared, ...others] = HistoryLines.lines(report)
    assert.deepStrictEqual(others, [`changed  ${changed}`])
    assert.notInclude(compared, "tested")
    assert.deepStrictEqual(HistoryLines.compared(report).slice(-1), [`Changed: ${changed}.`])
    const results = green.results.map((result) => ({ ...result, verdict: "failed" as const }))
    assert.lengthOf(HistoryLines.lines({ ...report, results }), 1)
  })

  it("reports the smallest detectable changes if nothing is worse", () => {
    assert.deepStrictEqual(HistoryLines.compared({ ...green, judgement }), [
      "No evidence of a regression. In the whole night, only changes larger than these are detected: pass rate -2.9 points, duration +1,100 %.",
      "Compared with 12 nights: pass rate 100 %, as usual."
    ])
    const results = green.results.map((result) => ({ ...result, verdict: "infra" as const }))
    assert.deepStrictEqual(HistoryLines.compared({ ...green, results: [...green.results, ...results], judgement }), [
      `Compared with 12 nights (only the ${green.results.length} scenario with results): pass rate 100 %, as usual.`
    ])
  })

  it("does not claim that nothing changed in a failed night", () => {
    const results = green.results.map((result) => ({ ...result, verdict: "failed" as const }))
    assert.match(
      HistoryLines.lines({ ...green, results, judgement })[0] ?? "",
      /: apart from the problems below, no evidence of a regression\. In the whole night/u
    )
  })

  it("counts a scenario once that got both slower and costlier", () => {
    const rows = green.results.flatMap((scenario) =>
      (["duration", "cost"] as const).map((figure) => row({ verdict: "regressed", figure, scenario }))
    )
    assert.strictEqual(
      HistoryLines.lines({ ...green, judgement: { ...judgement, differences: [], rows } })[0],
      "history  compared with 12 nights: 1 scenario is worse than before"
    )
  })

  it("counts a failure that is less frequent than before as one worse scenario, without a detectable change", () => {
    const results = green.results.map((result) => ({ ...result, verdict: "failed" as const }))
    const rows = [null, ...results].map((scenario) => row({ verdict: "regressed", scenario }))
    assert.strictEqual(
      HistoryLines.lines({ ...green, results, judgement: { ...judgement, differences: [], rows } })[0],
      "history  compared with 12 nights: 1 scenario is worse than before"
    )
  })

  it("names improvements", () => {
    const better = [null, { suite: "shop", name: "pays" }].map((scenario) => row({ verdict: "improved", scenario }))
    assert.match(
      HistoryLines.lines({ ...green, judgement: { ...judgement, rows: better } })[0] ?? "",
      /: 2 improvements \(pass rate of the whole night, pass rate of shop › pays\)/u
    )
  })

  it("names an improvement in durations as a regression of them", () => {
    const rows = [row({ verdict: "improved", scenario: null, figure: "duration" })]
    assert.include(
      HistoryLines.lines({ ...green, judgement: { ...judgement, rows } })[0],
      ": 1 improvement (scenario durations)"
    )
  })

  it("names nights that are not counted", () => {
    const other = { ...judgement, nights: 0, passedOver: [{ nights: 3, why: "OtherTarget" as const }], rows: [] }
    assert.include(
      HistoryLines.lines({ ...green, judgement: other })[0],
      "history  compared with 0 nights (3 not counted: another target): no evidence of a regression"
    )
  })

  it("reports too little data while there are too few nights", () => {
    const few = { ...judgement, verdict: "not enough data", nights: 3, differences: [], rows: [] } as const
    assert.deepStrictEqual(HistoryLines.lines({ ...green, judgement: few }), [
      "history  compared with 3 nights: not enough data. 5 earlier nights are needed; each run with --record adds one."
    ])
  })

  it("reports too little data after a first night that leaked a browser", () => {
    const rows = [
      row({ verdict: "not enough data", before: null, detectable: null }),
      row({ figure: "leaked browsers", verdict: "regressed", now: { _tag: "Count", count: 4 } })
    ]
    const passedOver = [{ nights: 3, why: "OtherTarget" as const }]
    const first = { ...green, judgement: { ...judgement, verdict: "regressed", nights: 0, passedOver, rows } } as const
    assert.include(
      HistoryLines.lines(first)[0],
      "compared with 0 nights (3 not counted: another target): not enough data."
    )
    assert.isEmpty(HistoryLines.compared(first))
    assert.strictEqual(
      HistoryLines.uncompared(first),
      "Not compared with earlier nights: 5 are needed, and 0 nights are known (3 not counted: another target). Each run with --record adds one."
    )
  })

  it("omits a figure that wasn't compared", () => {
    const rows = [
      row({ verdict: "not enough data", before: null }),
      row({ figure: "cost", verdict: "no evidence", change: 0.5 })
    ]
    const partly = { ...green, judgement: { ...judgement, rows } }
    assert.deepStrictEqual(HistoryLines.compared(partly).slice(-1), [
      "Compared with 12 nights: typical scenario cost +50 %."
    ])
  })

  it("reports too little data if the code of all scenarios changed", () => {
    const changed = { ...judgement, verdict: "not enough data", nights: 7, rows: [] } as const
    assert.include(
      HistoryLines.lines({ ...green, judgement: changed })[0],
      "compared with 7 nights: not enough data. 5 earlier nights of the same scenarios and code are needed;"
    )
  })

  it("is followed by scenarios that can leave quarantine", () => {
    const proposals = [{ suite: "shop", scenario: "pays", owner: "kim", clean: 60, failsBelow: 0.049 }]
    assert.deepStrictEqual(HistoryLines.lines({ ...green, proposals }), [
      "release  shop › pays (kim): 60 trials in a row passed: with 95 % confidence it fails in less than 4.9 % of them. Remove it from quarantine."
    ])
  })
})
