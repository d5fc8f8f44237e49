import { assert, describe, it } from "@effect/vitest"
import { verdictOf } from "../src/RunReport.ts"
import type { TrialVerdict } from "../src/Trial.ts"
import { trialOf } from "./reports.ts"

describe("a scenario's verdict", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<TrialVerdict>]> = [
    ["passed", ["passed", "passed"]],
    ["passed", ["passed", "skipped", "skipped"]],
    ["flaky", ["passed", "failed", "infra", "infra"]],
    ["flaky", ["claimed", "passed"]],
    ["failed", ["failed", "infra", "infra"]],
    ["claimed", ["failed", "claimed"]],
    ["skipped", ["skipped"]],
    ["skipped", []],
    ["unscored", ["unscored", "skipped"]],
    // as many trials without a score as passed ones leave it passed, more do not
    ["passed", ["passed", "infra", "passed", "unscored"]],
    ["infra", ["passed", "infra", "infra"]],
    ["infra", ["passed", "infra", "unscored"]],
    ["unscored", ["passed", "unscored", "infra", "unscored"]]
  ]
  for (const [verdict, trials] of cases) {
    it(`is ${verdict} after ${trials.join(", ") || "no trials"}`, () => {
      assert.strictEqual(verdictOf(trials.map((verdict) => trialOf({ verdict }))), verdict)
    })
  }

  it("is failed after a leaked browser or a broken invariant, even if its checks passed", () => {
    const leak = trialOf({ leakedBrowsers: [{ id: "b-1", stopped: true }] })
    const breach = trialOf({
      breaches: [
        { invariant: "created-twice", facts: { _tag: "Reported", text: "twice", entries: [] } as const, resource: null }
      ]
    })
    assert.strictEqual(verdictOf([trialOf({}), leak, trialOf({})]), "failed")
    assert.strictEqual(verdictOf([breach, trialOf({ verdict: "infra" })]), "failed")
    assert.strictEqual(
      verdictOf([trialOf({}), trialOf({ verdict: "failed", leakedBrowsers: leak.leakedBrowsers })]),
      "flaky"
    )
  })
})
