import { assert, describe, it } from "@effect/vitest"
import { validate } from "ctrf"
import { render } from "../../src/reporters/CtrfReporter.ts"
import { green, mixed, night, replay } from "./fixture.ts"

describe("CtrfReporter", () => {
  it("the published schema has nothing against it", () => {
    for (const report of [green, mixed, night]) {
      assert.deepStrictEqual(validate(JSON.parse(render(report, replay))), { valid: true, errors: [] })
    }
    assert.isFalse(validate(JSON.parse(render(mixed, replay).replace('"passed"', '"green"'))).valid)
  })

  it("every verdict has its status; what a retry saved is flaky", () => {
    const { results } = JSON.parse(render(night, replay))
    assert.deepStrictEqual(
      results.tests.map(({ flaky, name, rawStatus, retries, status }: Record<string, unknown>) => [
        name,
        rawStatus,
        status,
        retries,
        flaky === true
      ]),
      [
        ["buys the red mug", "flaky", "failed", 1, true],
        ["pays", "claimed", "failed", 0, false],
        ["cannot be reached", "infra", "other", 1, false],
        ["cannot be judged", "unscored", "other", 0, false],
        ["known to fail", "failed", "other", 0, false],
        ["known for too long", "failed", "failed", 0, false],
        ["a run completes", "passed", "passed", 0, false],
        ["forgets", "passed", "failed", 0, false],
        ["costs", "skipped", "skipped", 0, false]
      ]
    )
    const { extra: _, ...summary } = results.summary
    assert.deepStrictEqual(summary, {
      tests: 9,
      passed: 1,
      failed: 4,
      skipped: 1,
      pending: 0,
      other: 3,
      flaky: 1,
      suites: 3,
      start: 1_763_716_364_123 + 365 * 86_400_000,
      stop: 1_763_716_366_223 + 365 * 86_400_000,
      duration: 2100
    })
    assert.deepStrictEqual(results.tests[0].attachments, [
      { name: "trace of trial 1", contentType: "application/json", path: "traces/0.json" }
    ])
  })
})
