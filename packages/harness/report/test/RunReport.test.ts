import { assert, describe, it } from "@effect/vitest"
import { verdictOf } from "../src/RunReport.ts"
import type { Trial, TrialVerdict } from "../src/Trial.ts"

const trial = (change: Partial<Trial>): Trial => ({
  index: 0,
  seed: 7,
  verdict: "passed",
  started_ms: 0,
  duration_ms: 20,
  checks: 1,
  requests: 2,
  cost_usd: "0",
  reruns: [],
  leakedBrowsers: [],
  breaches: [],
  ...change
})

describe("what a scenario's trials say together", () => {
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
    it(`${trials.join(", ") || "none"}: ${verdict}`, () => {
      assert.strictEqual(verdictOf(trials.map((verdict) => trial({ verdict }))), verdict)
    })
  }

  it("a leaked browser or a broken invariant fails a scenario whose checks passed", () => {
    const leak = trial({ leakedBrowsers: [{ id: "b-1", stopped: true }] })
    const breach = trial({ breaches: [{ invariant: "created-twice", sentence: "twice", resource: null }] })
    assert.strictEqual(verdictOf([trial({}), leak, trial({})]), "failed")
    assert.strictEqual(verdictOf([breach, trial({ verdict: "infra" })]), "failed")
    assert.strictEqual(
      verdictOf([trial({}), trial({ verdict: "failed", leakedBrowsers: leak.leakedBrowsers })]),
      "flaky"
    )
  })
})
