import { assert, describe, it } from "@effect/vitest"
import type { Comparison } from "@webagent/report/Comparison"
import type { Finding } from "@webagent/report/Finding"
import type { Onset } from "@webagent/report/Onset"
import { countsOf, type RunReport, type ScenarioResult } from "@webagent/report/RunReport"
import * as records from "@webagent/test-fixtures/Reports"
import { withPeople } from "../src/People.ts"

const resultOf = (name: string, change: Partial<ScenarioResult> = {}): ScenarioResult => ({
  ...records.result,
  name,
  ...change
})
const quarantine = { owner: "kim", reason: "known", expires: "2026-12-01", expired: true }
const ada = { owner: "ada", at: "2026-11-28T08:00:00.000Z", until: "2026-12-01", note: "rolling back" }
const results = [
  resultOf("pays", { owner: "checkout" }),
  resultOf("sells", { owner: "checkout", quarantine, acknowledged: ada }),
  resultOf("signs in")
]
const report = { ...records.report, counts: countsOf(results), results, acknowledged: ada } satisfies RunReport
const scenarioOf = (name: string, onset?: Onset) => ({ suite: "shop", name, ...(onset === undefined ? {} : { onset }) })
const failed = (...scenarios: Finding["scenarios"]): Finding => ({
  kind: { _tag: "Failed", claimedSuccess: false, cause: null, trials: 1 },
  severity: "error",
  scenarios
})

describe("a finding's people", () => {
  it("are the owner of the quarantine or of the scenario, and anyone working on it", () => {
    const [finding] = withPeople(report, [failed(...["pays", "sells", "signs in"].map((name) => scenarioOf(name)))])
    assert.deepStrictEqual(
      finding?.scenarios.map(({ acknowledged, owner }) => [owner, acknowledged]),
      [
        ["checkout", undefined],
        ["kim", ada],
        [undefined, undefined]
      ]
    )
  })

  it("of a run that is worse as a whole are those of the scenarios that contributed most", () => {
    const amount = { _tag: "Cost", usd: "1" } as const
    const contributor = { ...scenarioOf("pays"), now: amount, before: amount, change: 1, share: 1 }
    const comparison: Comparison = {
      figure: "cost",
      scenario: null,
      verdict: "regressed",
      isUnusual: false,
      now: null,
      before: null,
      window: 1,
      since: "2026-11-28T02:00:00.000Z",
      nights: 9,
      detectable: null,
      contributors: [contributor]
    }
    const whole: Finding = { kind: { _tag: "Regressed", comparison }, severity: "error", scenarios: [] }
    const lost: Finding = { kind: { _tag: "CostUnknown", runs: [] }, severity: "error", scenarios: [] }
    const [worse, other] = withPeople(report, [whole, lost])
    const contributors = worse && "comparison" in worse.kind ? worse.kind.comparison?.contributors : undefined
    assert.deepStrictEqual(
      contributors?.map(({ owner }) => owner),
      ["checkout"]
    )
    assert.deepStrictEqual([worse?.acknowledged, other?.acknowledged], [ada, undefined])
  })

  it("share one stored code change for all scenarios of a finding", () => {
    const run = { startedAt: "2026-11-20T02:00:00.000Z", tool: "0.4.0", service: { version: "1" } }
    const onset = { since: "2026-11-21T02:00:00.000Z", nights: 1, known: 9 }
    const change = { good: run, bad: { ...run, service: { version: "2" } } }
    const other = { good: run, bad: run }
    const [finding] = withPeople(report, [
      failed(
        scenarioOf("pays", { ...onset, change }),
        scenarioOf("sells", { ...onset, change }),
        scenarioOf("signs in", { ...onset, change: other })
      )
    ])
    assert.deepStrictEqual(
      finding?.scenarios.map(({ onset }) => onset?.change),
      [change, undefined, other]
    )
    assert.strictEqual(finding?.scenarios[1]?.onset?.nights, 1)
  })
})
