import type { RunHeader, RunReport, ScenarioResult } from "./RunReport.ts"

/** What happens in a run, in the order in which it happens; the last event is always `RunFinished`. */
export type RunEvent =
  | { readonly _tag: "RunStarted"; readonly header: RunHeader }
  | { readonly _tag: "ScenarioStarted"; readonly suite: string; readonly scenario: string }
  | { readonly _tag: "ScenarioFinished"; readonly result: ScenarioResult }
  | { readonly _tag: "RunFinished"; readonly report: RunReport }
