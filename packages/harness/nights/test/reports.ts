import { countsOf, type RunReport, type ScenarioResult } from "@webagent/report/RunReport"
import type { Trial } from "@webagent/report/Trial"
import * as records from "@webagent/test-fixtures/Reports"

export const trial = (change: Partial<Trial> = {}): Trial => ({ ...records.trial, ...change })

const results: ReadonlyArray<ScenarioResult> = [{ ...records.result, suite: "v4-runs", name: "a run completes" }]

/** A run of one scenario that passed. */
export const green: RunReport = { ...records.report, counts: countsOf(results), results }
