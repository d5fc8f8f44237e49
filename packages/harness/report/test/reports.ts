import { countsOf, type RunReport, type ScenarioResult, verdictOf } from "../src/RunReport.ts"
import type { Trial } from "../src/Trial.ts"

/** A trial that passed. */
export const trialOf = (change: Partial<Trial> = {}): Trial => ({
  index: 0,
  seed: 1,
  verdict: "passed",
  started_ms: 0,
  duration_ms: 1,
  checks: 1,
  requests: 1,
  cost_usd: "0",
  reruns: [],
  leakedBrowsers: [],
  breaches: [],
  ...change
})

/** A scenario of the suite `shop`. */
export const resultOf = (
  name: string,
  trials: ReadonlyArray<Trial>,
  change: Partial<ScenarioResult> = {}
): ScenarioResult => ({
  suite: "shop",
  name,
  tags: [],
  needs: [],
  verdict: verdictOf(trials),
  started_ms: 0,
  duration_ms: 1,
  checks: 1,
  cost_usd: "0",
  trials,
  ...change
})

/** A run of these scenarios. */
export const reportOf = (results: ReadonlyArray<ScenarioResult>, change: Partial<RunReport> = {}): RunReport => ({
  format: 2,
  header: {
    tool: { name: "webagent-harness", version: "0.1.0" },
    startedAt: "2026-11-21T09:12:44.123Z",
    seed: 1,
    concurrency: 8,
    trials: null,
    limits: {},
    target: { name: "simulated", address: "http://127.0.0.1:1", simulated: true, capabilities: ["money"] },
    suites: []
  },
  duration_ms: 1,
  interrupted: false,
  counts: countsOf(results),
  cost_usd: "0",
  results,
  breaches: [],
  ...change
})
