import { report, result, trial } from "@webagent/test-fixtures/Reports"
import { countsOf, type RunReport, type ScenarioResult, verdictOf } from "../src/RunReport.ts"
import type { Trial } from "../src/Trial.ts"

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
