import type { Ending } from "../leftovers/EndOfRun.ts"
import type { Outage } from "@webagent/report/Outage"
import type { Need, ScenarioContext } from "@webagent/scenario"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { LearnedScenario } from "@webagent/nights/LearnedScenario"
import type { Suspect } from "@webagent/nights/Judge"
import type { Probe } from "../targets/Target.ts"
import type { Planned } from "./Plan.ts"
import type { RunEvent } from "@webagent/report/RunEvent"
import type { RunHeader, RunReport } from "@webagent/report/RunReport"
import type { Breach } from "@webagent/report/Breach"
import type { AgentSteps, Trial, TrialVerdict } from "@webagent/report/Trial"
import type { TrialLog } from "../observe/TrialLog.ts"

/**
 * Input of the runner. It doesn't depend on the kind of target, only on functions that make a scenario's context and
 * stop a browser.
 */
export interface RunnerOptions {
  readonly header: RunHeader
  readonly plan: ReadonlyArray<Planned>
  readonly contextOf: (seed: number) => ScenarioContext
  /** The sentence for why the target cannot serve a need, or undefined when it can. */
  readonly lacks: (need: Need) => string | undefined
  /** Stops a browser that a scenario leaked; returns true if it stopped. */
  readonly stopBrowser: (id: string) => Effect.Effect<boolean>
  /** The longest one trial may take, unless its scenario says otherwise. */
  readonly timeout: Duration.Duration
  /** Time limit for a finished or stopped scenario to release its resources; 10 s by default. */
  readonly release?: Duration.Duration
  /** Takes secrets out of text. */
  readonly redact: (text: string) => string
  readonly emit: (event: RunEvent) => Effect.Effect<void>
  /** Follows a trial while it runs, until the scope closes. */
  readonly watch?: (trial: WatchedTrial) => Effect.Effect<void, never, Scope.Scope>
  /** Looks at a trial when what it left open has been stopped: which invariants it broke, and where its trace is. */
  readonly inspect?: (ended: EndedTrial) => Effect.Effect<Inspection>
  /** Runs once, when the last trial has been inspected: stops what is open, and says what no trial can be blamed for. */
  readonly finish?: Effect.Effect<Ending>
  /** Looks whether something answers at the target; absent where scenarios may take it away themselves. */
  readonly probe?: Probe
  /** The outages of an earlier run that this one continues. */
  readonly outages?: ReadonlyArray<Outage>
  /** The index of the only trial of each scenario to run; it runs as it would among the others. */
  readonly only?: number
  /** Statistics of the latest nights, by `scenarioKey`. A scenario without an entry is new. */
  readonly learned?: ReadonlyMap<string, LearnedScenario>
  /** Which scenarios are suspicious by the planned trials, and what their extra trials say; `limits.confirm` bounds them. */
  readonly suspects?: (report: RunReport) => ReadonlyArray<Suspect>
  /** Says of the finished report what cannot be seen in it: what the nights before say, what is in quarantine. */
  readonly conclude?: (report: RunReport) => RunReport
  /** Trials that an earlier run has done, by `trialKey`: they are taken as they were, and not run again. */
  readonly done?: ReadonlyMap<string, Trial>
  /** Running time of that earlier run, in milliseconds. This run's times start after it. */
  readonly worked_ms?: number
}

/** A running trial, as `watch` is given it. */
export interface WatchedTrial {
  readonly suite: string
  readonly scenario: string
  readonly index: number
  readonly log: TrialLog
}

/** A trial that has ended, as `inspect` is given it. */
export interface EndedTrial {
  readonly suite: string
  readonly scenario: string
  readonly index: number
  readonly seed: number
  /** Milliseconds after the run's start, of the try that counts. */
  readonly started_ms: number
  readonly duration_ms: number
  readonly log: TrialLog
  readonly verdict: TrialVerdict
}

/** Results of inspecting a trial. */
export interface Inspection {
  readonly breaches: ReadonlyArray<Breach>
  /** The file of its trace, relative to the report. */
  readonly trace?: string
  /** The agent's steps in the last runs of a failed trial, or of any trial of an evaluation. */
  readonly agentSteps?: ReadonlyArray<AgentSteps>
}

/** Names one scenario of a run. */
export const scenarioKey = (suite: string, scenario: string): string => JSON.stringify([suite, scenario])

/** Names one trial of a run. */
export const trialKey = (suite: string, scenario: string, index: number): string =>
  JSON.stringify([suite, scenario, index])
