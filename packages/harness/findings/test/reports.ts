import { report, result, trial } from "@webagent/test-fixtures/Reports"
import { countsOf, type RunReport, type ScenarioResult, verdictOf } from "@webagent/report/RunReport"
import type { Trial } from "@webagent/report/Trial"

/** A trial that passed. */
export const trialOf = (change: Partial<Trial> = {}): Trial => ({ ...trial, ...change })

/** A scenario of the suite `shop`. */
export const resultOf = (
  name: string,
  trials: ReadonlyArray<Trial>,
  change: Partial<ScenarioResult> = {}
): ScenarioResult => ({ ...result, name, verdict: verdictOf(trials), trials, ...change })

/** A run of these scenarios. */
export const reportOf = (results: ReadonlyArray<ScenarioResult>, change: Partial<RunReport> = {}): RunReport => ({
  ...report,
  counts: countsOf(results),
  results,
  ...change
})

/** A run of one scenario that passed. */
export const green: RunReport = reportOf([{ ...result, suite: "v4-runs", name: "a run completes" }])
