import type { RunEvent } from "../../src/runner/RunEvent.ts"
import { countsOf, type RunReport, type ScenarioResult, totalCost } from "../../src/runner/RunReport.ts"
import type { Trial } from "../../src/runner/Trial.ts"

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

const result = (change: Partial<ScenarioResult> & Pick<ScenarioResult, "suite" | "name">): ScenarioResult => ({
  tags: [],
  needs: [],
  verdict: "passed",
  started_ms: 0,
  duration_ms: 0,
  checks: 1,
  cost_usd: "0",
  trials: [],
  ...change
})

const passed = result({ suite: "v4-runs", name: "a run completes", duration_ms: 300 })

const failed = result({
  suite: "v4-browsers",
  name: 'closing <CDP> & "more"',
  verdict: "failed",
  duration_ms: 1200,
  started_ms: 100,
  failure: {
    kind: "check",
    message: "connecting again should succeed\u0000",
    expected: "a CDP answer",
    actual: 'HTTP 404 {"detail":"Browser not found"}',
    where: "src/suites/v4-browsers.ts:61",
    request: { method: "GET", path: "/api/v4/browsers/b/cdp", status: 404, duration_ms: 3 }
  }
})

const leaking = result({
  suite: "v4-browsers",
  name: "forgets",
  duration_ms: 20,
  trials: [trial({ leakedBrowsers: [{ id: "b-91c2f0aa", stopped: true }] })]
})

const skipped = result({
  suite: "v4-browsers",
  name: "costs",
  verdict: "skipped",
  reason: "it would cost: allow that with --allow-paid",
  needs: ["money"]
})

const report = (results: ReadonlyArray<ScenarioResult>): RunReport => ({
  format: 2,
  header: {
    tool: { name: "webagent-harness", version: "0.1.0" },
    startedAt: "2026-11-21T09:12:44.123Z",
    seed: 1,
    concurrency: 8,
    trials: null,
    limits: {},
    target: { name: "simulated service", address: "http://127.0.0.1:41873", simulated: true, capabilities: ["money"] },
    suites: [...Map.groupBy(results, ({ suite }) => suite)].map(([name, group]) => ({ name, scenarios: group.length }))
  },
  duration_ms: 2100,
  interrupted: false,
  counts: countsOf(results),
  cost_usd: totalCost(results.map((result) => result.cost_usd)),
  results,
  breaches: []
})

/** The events of a run in the order in which a run with these results might send them. */
const eventsOf = (report: RunReport, ended: ReadonlyArray<ScenarioResult>): ReadonlyArray<RunEvent> => [
  { _tag: "RunStarted", header: report.header },
  ...ended.flatMap((result): ReadonlyArray<RunEvent> => [
    { _tag: "ScenarioStarted", suite: result.suite, scenario: result.name },
    { _tag: "ScenarioFinished", result }
  ]),
  { _tag: "RunFinished", report }
]

/** A run with one of everything; the second suite ends before the first. */
export const mixed = report([passed, failed, leaking, skipped])
export const mixedEvents = eventsOf(mixed, [failed, leaking, skipped, passed])

/** A run in which all is well. */
export const green = report([passed])
export const greenEvents = eventsOf(green, [passed])

export const replay = ({ name, suite }: ScenarioResult) => `harness run ${suite} --name "${name}" --seed 1`
