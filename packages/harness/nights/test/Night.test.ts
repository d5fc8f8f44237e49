import { assert, describe, it } from "@effect/vitest"
import { partialOf } from "@webagent/report/CutShort"
import type { Partial } from "@webagent/report/Partial"
import { ofReport, plannedOf } from "../src/Night.ts"
import type { RunReport } from "@webagent/report/RunReport"
import { green, trial } from "./reports.ts"

const [first] = green.results
if (first === undefined) throw new Error("the fixture has results")
const five = {
  ...first,
  verdict: "flaky",
  cost_usd: "0.25",
  trials: [
    trial({ duration_ms: 100 }),
    trial({
      duration_ms: 400,
      reruns: [{ started_ms: 0, duration_ms: 50, failure: { kind: "error", message: "503" } }]
    }),
    trial({ duration_ms: 200 }),
    trial({ verdict: "claimed", duration_ms: 900, leakedBrowsers: [{ id: "b", stopped: true }] }),
    trial({ verdict: "infra", duration_ms: 10 })
  ]
} as const
const report: RunReport = { ...green, results: [five] }

describe("a night made from a report", () => {
  it("counts scored trials, and sums up the durations of passed ones", () => {
    const [scenario] = ofReport(report).scenarios
    assert.deepStrictEqual(scenario, {
      suite: "v4-runs",
      name: "a run completes",
      verdict: "flaky",
      passed: 3,
      scored: 4,
      failed: 0,
      claimed: 1,
      infra: 1,
      durations: {
        count: 3,
        mean_log: Number(Math.log(200).toFixed(6)),
        deviation_log: Number(Math.LN2.toFixed(6)),
        median_ms: 200
      },
      spent_ms: 1660,
      trials: 5,
      cost_usd: "0.25",
      requests: 10,
      breaches: 0,
      leaks: 1
    })
  })

  it("counts interrupted trials separately, and keeps their cost", () => {
    const skip = { _tag: "TimeLimit", limit_ms: 1500 } as const
    const trials = [trial(), trial(), trial({ verdict: "skipped", skip }), trial({ verdict: "skipped", skip })]
    const [scenario] = ofReport({ ...report, results: [{ ...five, trials }] }).scenarios
    assert.deepInclude(scenario, { trials: 2, unrun: 2, scored: 2, cost_usd: "0.25" })
  })

  it("separates the usage of planned and extra trials", () => {
    const more = trial({ requests: 9, cost_usd: "0.05", started_ms: 1500 })
    const confirm = { figure: "duration", outcome: "not confirmed", trials: [more] } as const
    const night = ofReport({
      ...report,
      results: [{ ...five, cost_usd: "0.30", confirm }],
      cost_usd: "0.30",
      duration_ms: 2100
    })
    assert.strictEqual(night.confirm_ms, 600)
    assert.deepStrictEqual(plannedOf(night), { requests: 10, cost_usd: "0.25", duration_ms: 1500 })
    const { confirm_ms: _, ...older } = night
    assert.isUndefined(plannedOf(older).duration_ms)
    assert.deepStrictEqual(plannedOf(ofReport({ ...report, cost_usd: "0.4" })), {
      requests: report.counts.requests,
      cost_usd: "0.4",
      duration_ms: report.duration_ms
    })
  })

  it("records which scenarios are in quarantine", () => {
    const quarantine = { owner: "ann", reason: "slow", expires: "2026-12-01", expired: false }
    const [scenario] = ofReport({ ...report, results: [{ ...five, quarantine }] }).scenarios
    assert.deepStrictEqual(scenario?.quarantine, { expired: false })
  })

  it("has an id that depends on its content", () => {
    assert.strictEqual(ofReport(report).id, ofReport({ ...report }).id)
    assert.notStrictEqual(ofReport(report).id, ofReport({ ...report, cost_usd: "1" }).id)
  })

  it("records regressions, so that they don't become the baseline", () => {
    const row = {
      figure: "duration",
      scenario: null,
      verdict: "regressed",
      isUnusual: false,
      now: null,
      before: null,
      window: 2,
      since: "2026-01-01",
      nights: 9,
      detectable: null
    } as const
    const judgement = { verdict: "regressed", nights: 9, passedOver: [], differences: [], rows: [row] } as const
    assert.deepStrictEqual(ofReport({ ...report, judgement }).regressed, [
      { figure: "duration", scenario: null, since: "2026-01-01" }
    ])
    assert.isUndefined(ofReport(report).regressed)
  })
})

describe("a partial night", () => {
  const header = report.header
  const skipped = { ...first, verdict: "skipped", trials: [] } as const
  const infra = { ...first, trials: [trial({ verdict: "infra" }), trial()] }
  const cases: ReadonlyArray<readonly [RunReport, Partial | undefined]> = [
    [report, undefined],
    [
      { ...report, interrupted: true },
      { _tag: "Stopped", isShard: false }
    ],
    [
      { ...report, header: { ...header, shard: { index: 1, of: 4 } } },
      { _tag: "Shard", index: 1, of: 4 }
    ],
    [
      { ...report, header: { ...header, selection: { tags: ["a"] } } },
      { _tag: "Selection", tags: ["a"] }
    ],
    [
      { ...report, results: [five, skipped] },
      { _tag: "Limit", which: [], cut: 1, of: 2 }
    ],
    [{ ...report, results: [five, { ...skipped, needs: ["control-api"] }] }, undefined],
    [{ ...report, results: [five, { ...skipped, skip: { _tag: "Unserved", why: "broken upstream" } }] }, undefined],
    [{ ...report, results: [five, { ...skipped, skip: { _tag: "NoBudget" } }] }, undefined],
    [
      { ...report, results: [five, { ...skipped, skip: { _tag: "OverCostLimit", worst_usd: "9", limit_usd: "5" } }] },
      undefined
    ],
    [{ ...report, results: [] }, { _tag: "NothingRan" }],
    [{ ...report, results: [{ ...skipped, skip: { _tag: "NoBudget" } }] }, { _tag: "NothingRan" }],
    [
      { ...report, results: [infra] },
      { _tag: "Infra", failed: 1, trials: 2 }
    ]
  ]

  it("has less information than a whole one", () => {
    for (const [of, why] of cases) assert.deepStrictEqual(partialOf(of), why)
  })
})
