import { countsOf, type RunReport, type ScenarioResult } from "@webagent/report/RunReport"
import type { Trial } from "@webagent/report/Trial"

export const trial = (change: Partial<Trial> = {}): Trial => ({
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

const results: ReadonlyArray<ScenarioResult> = [
  {
    suite: "v4-runs",
    name: "a run completes",
    tags: [],
    needs: [],
    verdict: "passed",
    started_ms: 0,
    duration_ms: 300,
    checks: 1,
    cost_usd: "0",
    trials: []
  }
]

/** A run of one scenario that passed. */
export const green: RunReport = {
  format: 2,
  header: {
    tool: { name: "webagent-harness", version: "0.1.0" },
    startedAt: "2026-11-21T09:12:44.123Z",
    seed: 1,
    concurrency: 8,
    trials: null,
    limits: {},
    target: { name: "simulated service", address: "http://127.0.0.1:41873", simulated: true, capabilities: ["money"] },
    suites: [{ name: "v4-runs", scenarios: 1 }]
  },
  duration_ms: 2100,
  interrupted: false,
  counts: countsOf(results),
  cost_usd: "0",
  results,
  breaches: []
}
