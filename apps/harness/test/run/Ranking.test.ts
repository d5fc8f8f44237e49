import { assert, describe, it } from "@effect/vitest"
import { scenario } from "@webagent/scenario"
import type { LearnedScenario } from "@webagent/nights/LearnedScenario"
import { type Planned, sourceOf } from "../../src/run/Plan.ts"
import * as Ranking from "../../src/run/Ranking.ts"

const planned = (name: string): Planned => ({ suite: "suite", scenario: scenario(name, function* () {}) })

const learned = (name: string, change: Partial<LearnedScenario> = {}): Ranking.Rankable => {
  const of = planned(name)
  return {
    planned: of,
    learned: {
      suite: "suite",
      name,
      nights: 9,
      passRate: 1,
      duration_p75_ms: 1000,
      cost_usd: "0.1",
      requests: 10,
      lastVerdicts: ["passed", "passed", "passed"],
      lastRun: "2026-11-20T00:00:00Z",
      source: sourceOf(of.scenario),
      ...change
    },
    worst_usd: "0.5",
    open: 2
  }
}

const fresh = (name: string): Ranking.Rankable => ({
  planned: planned(name),
  learned: undefined,
  worst_usd: "0.5",
  open: 2
})

const scenarios = [
  learned("steady"),
  learned("long ago", { lastRun: "2026-11-01T00:00:00Z" }),
  learned("flaky once", { lastVerdicts: ["flaky", "passed", "passed"] }),
  learned("failed last", { lastVerdicts: ["passed", "passed", "failed"] }),
  learned("changed", { source: "another" }),
  fresh("new")
]

const names = (of: ReadonlyArray<Ranking.Rankable>) => of.map(({ planned }) => planned.scenario.name)

describe("Ranking", () => {
  it("puts new or changed scenarios first, then recent failures, then those that haven't run for long", () => {
    assert.deepStrictEqual(names(Ranking.order(scenarios, { time_ms: 1 }, 1)), [
      "changed",
      "new",
      "failed last",
      "flaky once",
      "long ago",
      "steady"
    ])
  })

  it("keeps the order of the suites if everything is likely to run", () => {
    assert.strictEqual(Ranking.order(scenarios, { time_ms: 1_000_000, cost_usd: "100" }, 1), scenarios)
    assert.strictEqual(Ranking.order(scenarios, {}, 1), scenarios)
  })

  it("marks scenarios that exceed the available time, requests or money, with the median for new ones", () => {
    // six scenarios of two trials: 12 s, 120 requests, 3 USD
    const cases = [
      [{ time_ms: 11_999 }, 1, true],
      [{ time_ms: 12_000 }, 1, false],
      [{ time_ms: 6000 }, 2, false],
      [{ requests: 119 }, 1, true],
      [{ requests: 120 }, 1, false],
      [{ cost_usd: "2.99" }, 1, true],
      [{ cost_usd: "3.00" }, 1, false]
    ] as const
    for (const [limits, concurrency, short] of cases) {
      assert.strictEqual(Ranking.isShort(scenarios, limits, concurrency), short, JSON.stringify(limits))
    }
  })
})
