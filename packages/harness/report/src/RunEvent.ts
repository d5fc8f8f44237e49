import * as Schema from "effect/Schema"
import { Outage } from "./Outage.ts"
import { RunHeader, RunReport, ScenarioResult } from "./RunReport.ts"
import { Trial } from "./Trial.ts"

const of = { suite: Schema.String, scenario: Schema.String }

/**
 * What happens in a run, in the order in which it happens; the last event is always `RunFinished`. One that was killed
 * has none: what it had done by then is in its `TrialFinished`.
 */
export const RunEvent = Schema.Union([
  Schema.TaggedStruct("RunStarted", { header: RunHeader }),
  Schema.TaggedStruct("OutageStarted", { outage: Outage }),
  Schema.TaggedStruct("OutageFinished", { outage: Outage }),
  Schema.TaggedStruct("ScenarioStarted", of),
  Schema.TaggedStruct("TrialStarted", { ...of, index: Schema.Int }),
  Schema.TaggedStruct("TrialFinished", { ...of, trial: Trial }),
  Schema.TaggedStruct("ScenarioFinished", { result: ScenarioResult }),
  Schema.TaggedStruct("RunFinished", { report: RunReport })
])
export type RunEvent = typeof RunEvent.Type
