import * as Money from "@webagent/cli/Money"
import type { RunEvent } from "@webagent/report/RunEvent"
import { countsOf, type RunReport, type ScenarioResult } from "@webagent/report/RunReport"
import type { Failure, Trial } from "@webagent/report/Trial"
import * as records from "@webagent/test-fixtures/Reports"

export const trial = (change: Partial<Trial> = {}): Trial => ({ ...records.trial, ...change })

const result = (change: Partial<ScenarioResult> & Pick<ScenarioResult, "suite" | "name">): ScenarioResult => ({
  ...records.result,
  duration_ms: 0,
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
  verdict: "failed",
  duration_ms: 20,
  trials: [trial({ leakedBrowsers: [{ id: "b-91c2f0aa", stopped: true }] })]
})

const skipped = result({
  suite: "v4-browsers",
  name: "costs",
  verdict: "skipped",
  skip: { _tag: "Unserved", why: "costs money: pass --allow-paid" },
  reason: "costs money: pass --allow-paid",
  needs: ["money"]
})

const report = (results: ReadonlyArray<ScenarioResult>): RunReport => ({
  ...records.report,
  header: {
    ...records.report.header,
    suites: [...Map.groupBy(results, ({ suite }) => suite)].map(([name, group]) => ({ name, scenarios: group.length }))
  },
  counts: countsOf(results),
  cost_usd: Money.sum(results.map((result) => result.cost_usd)),
  results
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

const failure: Failure = {
  kind: "check",
  message: "the order exists",
  expected: "one order of a red mug",
  actual: "none",
  where: "checkout.suite.ts:14",
  request: { method: "GET", path: "/api/v4/runs/r-2", status: 200, duration_ms: 4 }
}

const doubled: Failure = { ...failure, actual: "two" }

const lost: Failure = { kind: "error", message: "TransportError: the connection was reset" }

const failedTrial = (index: number) => trial({ index, seed: 100 + index, verdict: "failed", failure })

/** A night with every verdict: flaky, claimed, infra, unscored, reruns, a quarantine that holds and one that does not. */
export const night = report([
  result({
    suite: "checkout",
    name: "buys the red mug",
    verdict: "flaky",
    tags: ["nightly"],
    duration_ms: 61_000,
    cost_usd: "0.0413",
    failure,
    trials: [
      trial({ index: 0, seed: 100, trace: "traces/0.json" }),
      failedTrial(1),
      trial({ index: 2, seed: 102, reruns: [{ started_ms: 40, duration_ms: 12, failure: lost }] })
    ]
  }),
  result({
    suite: "checkout",
    name: "pays",
    verdict: "claimed",
    failure: doubled,
    cost_usd: "1.2",
    trials: [trial({ verdict: "claimed", failure: doubled, opinions: { oracle: false, agent: true, judge: null } })]
  }),
  result({
    suite: "checkout",
    name: "cannot be reached",
    verdict: "infra",
    failure: lost,
    trials: [trial({ verdict: "infra", failure: lost, reruns: [{ started_ms: 10, duration_ms: 5, failure: lost }] })]
  }),
  result({
    suite: "checkout",
    name: "cannot be judged",
    verdict: "unscored",
    reason: "the oracle could not look",
    trials: [trial({ verdict: "unscored", reason: "the oracle could not look" })]
  }),
  result({
    suite: "checkout",
    name: "known to fail",
    verdict: "failed",
    failure,
    trials: [failedTrial(0), failedTrial(1)],
    quarantine: { owner: "ada", reason: "the shop moves", expires: "2026-12-01", expired: false }
  }),
  result({
    suite: "checkout",
    name: "known for too long",
    verdict: "failed",
    failure,
    trials: [failedTrial(0), failedTrial(1), failedTrial(2)],
    quarantine: { owner: "bob", reason: "the shop moved", expires: "2026-11-01", expired: true }
  }),
  passed,
  leaking,
  skipped
])

const dates: Readonly<Record<string, NonNullable<ScenarioResult["onset"]>>> = {
  "buys the red mug": { trials: { since: "2026-11-21T09:12:44.123Z", nights: 1, known: 9 } },
  pays: { trials: { since: "2026-11-15T02:00:00.000Z", nights: 7, known: 9 } },
  "cannot be reached": { trials: { since: "2026-11-15T02:00:00.000Z", nights: 7, known: 9 } },
  "cannot be judged": { trials: { since: "2026-11-15T02:00:00.000Z", nights: 7, known: 9 } },
  "known to fail": { trials: { since: "2026-11-21T09:12:44.123Z", nights: 1, known: 9 } },
  "known for too long": {
    trials: { since: "2026-11-21T09:12:44.123Z", nights: 1, known: 9, between: 3, green: true }
  },
  forgets: { invariants: { since: "2026-11-21T09:12:44.123Z", nights: 1, known: 9, between: 1 } }
}

/** The same night, by nine nights before. */
export const dated: RunReport = {
  ...night,
  results: night.results.map((result) => {
    const onset = dates[result.name]
    return onset === undefined ? result : { ...result, onset }
  })
}
export const datedEvents = eventsOf(dated, dated.results)

const unreachable = (name: string, index: number, method: string, path: string, status: number | null) => {
  const failure: Failure = {
    kind: "error",
    message: `CreateOutcomeUnknown: its request id "9c2f0ca1673${index % 10}-2"`,
    request: { method, path, status, duration_ms: 2 }
  }
  const started_ms = 1000 * index
  return result({
    suite: "away",
    name: `${name} ${index}`,
    verdict: "infra",
    failure,
    reason: "again on the rerun",
    trials: [trial({ verdict: "infra", failure, started_ms, reruns: [{ started_ms, duration_ms: 10, failure }] })]
  })
}

const idOf = (index: number) => `7f0c11aa-3f5e-4d0c-9a3b-0d53f36a9e1${index}`

/** A night in which the service was away for eleven seconds, and the oracles were, too. */
export const away = report([
  ...Array.from({ length: 12 }, (_, index) => unreachable("runs", index, "POST", "/api/v4/runs", 503)),
  ...[1, 2].map((index) => unreachable("polls", index, "GET", `/api/v4/runs/${idOf(index)}/status`, null)),
  ...[1, 2].map((index) =>
    result({ suite: "away", name: `asks ${index}`, verdict: "unscored", reason: "the oracle could not look" })
  )
])

const skip = { _tag: "TimeLimit", limit_ms: 1500 } as const
const unrun = trial({ verdict: "skipped", skip, duration_ms: 0, checks: 0, requests: 0 })

/** A night that a limit ended early: one scenario not run, one of four trials of another. */
export const cut: RunReport = (() => {
  const whole = report([
    passed,
    result({
      suite: "v4-runs",
      name: "guesses",
      skip,
      duration_ms: 97,
      trials: [trial({ duration_ms: 58 }), unrun, unrun, unrun]
    }),
    result({ suite: "v4-runs", name: "never begins", verdict: "skipped", skip })
  ])
  return { ...whole, header: { ...whole.header, trials: 4 } }
})()

/** A run in which all is well. */
export const green = report([passed])
export const greenEvents = eventsOf(green, [passed])

export const replay = ({ name, suite }: ScenarioResult) => `harness run ${suite} --name "${name}" --seed 1`
