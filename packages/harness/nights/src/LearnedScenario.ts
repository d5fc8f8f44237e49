import type { Verdict } from "@webagent/report/RunReport"

/** What the last nights teach about a scenario, for a plan. */
export interface LearnedScenario {
  readonly suite: string
  readonly name: string
  /** How many of the nights ran it. */
  readonly nights: number
  /** Of all trials that are scored; undefined where none is. */
  readonly passRate: number | undefined
  /** What one trial takes in three of four nights, reruns with it. */
  readonly duration_p75_ms: number
  /** What one trial costs on average, in USD as a decimal, rounded up to a millionth. */
  readonly cost_usd: string
  /** HTTP requests of one trial, on average. */
  readonly requests: number
  /** Oldest first, ten at most. */
  readonly lastVerdicts: ReadonlyArray<Verdict>
  /** When the last night began that ran it. */
  readonly lastRun: string
  /** How it was written then; where that is no longer so, it has changed. */
  readonly source: string | undefined
}
