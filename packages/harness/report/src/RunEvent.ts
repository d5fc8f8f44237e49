import * as Schema from "effect/Schema"
import { Outage } from "./Outage.ts"
import { RunHeader, RunReport, ScenarioResult } from "./RunReport.ts"
import { AgentSteps, Trial } from "./Trial.ts"

const of = { suite: Schema.String, scenario: Schema.String }

/**
 * Events of a run in order of time. The last event is always `RunFinished`. A killed run has none: its results up to
 * then are in its `TrialFinished` events.
 */
export const RunEvent = Schema.Union([
  Schema.TaggedStruct("RunStarted", { header: RunHeader }),
  Schema.TaggedStruct("OutageStarted", { outage: Outage }),
  Schema.TaggedStruct("OutageFinished", { outage: Outage }),
  Schema.TaggedStruct("ScenarioStarted", of),
  Schema.TaggedStruct("TrialStarted", { ...of, index: Schema.Int }),
  /** New and changed steps of an agent in a running trial. Only runs that someone watches in `webagent-harness ui` have them. */
  Schema.TaggedStruct("StepsSeen", { ...of, index: Schema.Int, agent: AgentSteps }),
  Schema.TaggedStruct("TrialFinished", { ...of, trial: Trial }),
  Schema.TaggedStruct("ScenarioFinished", { result: ScenarioResult }),
  Schema.TaggedStruct("RunFinished", { report: RunReport })
])
export type RunEvent = typeof RunEvent.Type
