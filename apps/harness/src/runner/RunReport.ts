import * as Schema from "effect/Schema"

/** One HTTP request of a scenario; `status` is null when no answer came. */
export const Exchange = Schema.Struct({
  method: Schema.String,
  path: Schema.String,
  status: Schema.NullOr(Schema.Int),
  duration_ms: Schema.Number
})

/** One HTTP request of a scenario. */
export type Exchange = typeof Exchange.Type

/** Why a scenario failed: a check, an error or defect that it did not handle, its time, or its budget. */
export const Failure = Schema.Struct({
  kind: Schema.Literals(["check", "error", "defect", "timeout", "budget"]),
  message: Schema.String,
  expected: Schema.optionalKey(Schema.String),
  actual: Schema.optionalKey(Schema.String),
  /** `path:line`, the path relative to where the harness ran. */
  where: Schema.optionalKey(Schema.String),
  /** The last request before it failed. */
  request: Schema.optionalKey(Exchange)
})

/** Why a scenario failed. */
export type Failure = typeof Failure.Type

/** How a scenario ended. */
export const Status = Schema.Literals(["passed", "failed", "timedOut", "skipped"])

/** How a scenario ended. */
export type Status = typeof Status.Type

/** A browser that a scenario created and did not stop; `stopped` says whether the harness could. */
export const LeakedBrowser = Schema.Struct({ id: Schema.String, stopped: Schema.Boolean })

/** One repetition of a scenario. `seed` is what its random inputs came from. */
export const Trial = Schema.Struct({
  seed: Schema.Int,
  status: Status,
  duration_ms: Schema.Number,
  checks: Schema.Int,
  failure: Schema.optionalKey(Failure)
})

/** One repetition of a scenario. */
export type Trial = typeof Trial.Type

/** What became of a scenario; `failure` is that of its first trial that did not pass. */
export const ScenarioResult = Schema.Struct({
  suite: Schema.String,
  name: Schema.String,
  tags: Schema.Array(Schema.String),
  needs: Schema.Array(Schema.String),
  status: Status,
  /** Why it was skipped. */
  reason: Schema.optionalKey(Schema.String),
  failure: Schema.optionalKey(Failure),
  /** Milliseconds after the run's start. */
  started_ms: Schema.Number,
  duration_ms: Schema.Number,
  checks: Schema.Int,
  cost_usd: Schema.Number,
  trials: Schema.Array(Trial),
  leakedBrowsers: Schema.Array(LeakedBrowser)
})

/** What became of a scenario. */
export type ScenarioResult = typeof ScenarioResult.Type

/** What a run is, before it has begun. */
export const RunHeader = Schema.Struct({
  tool: Schema.Struct({ name: Schema.String, version: Schema.String }),
  startedAt: Schema.String,
  seed: Schema.Int,
  concurrency: Schema.Int,
  target: Schema.Struct({
    name: Schema.String,
    address: Schema.String,
    simulated: Schema.Boolean,
    capabilities: Schema.Array(Schema.String)
  }),
  suites: Schema.Array(Schema.Struct({ name: Schema.String, scenarios: Schema.Int }))
})

/** What a run is, before it has begun. */
export type RunHeader = typeof RunHeader.Type

/** How many scenarios ended how. */
export const Counts = Schema.Struct({
  passed: Schema.Int,
  failed: Schema.Int,
  timedOut: Schema.Int,
  skipped: Schema.Int,
  leakedBrowsers: Schema.Int
})

/** How many scenarios ended how. */
export type Counts = typeof Counts.Type

/** A whole run, as `report.json` holds it: results in the order of the suites, whatever order they ended in. */
export const RunReport = Schema.Struct({
  format: Schema.Literal(1),
  header: RunHeader,
  duration_ms: Schema.Number,
  /** Whether it was stopped before every scenario had run. */
  interrupted: Schema.Boolean,
  counts: Counts,
  results: Schema.Array(ScenarioResult)
})

/** A whole run, as `report.json` holds it. */
export type RunReport = typeof RunReport.Type

/** The counts of some results. */
export const countsOf = (results: ReadonlyArray<ScenarioResult>): Counts => {
  const of = (status: Status) => results.filter((result) => result.status === status).length
  return {
    passed: of("passed"),
    failed: of("failed"),
    timedOut: of("timedOut"),
    skipped: of("skipped"),
    leakedBrowsers: results.reduce((sum, result) => sum + result.leakedBrowsers.length, 0)
  }
}

/** Whether nothing is wrong: nothing failed, no time ran out, nothing leaked, nothing was cut short. */
export const isGreen = (report: RunReport): boolean =>
  !report.interrupted && report.counts.failed + report.counts.timedOut + report.counts.leakedBrowsers === 0
