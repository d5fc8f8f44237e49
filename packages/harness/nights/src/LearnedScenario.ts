import type { Verdict } from "@webagent/report/Verdict"

/** Statistics of the latest nights of a scenario, for a plan. */
export interface LearnedScenario {
  readonly suite: string
  readonly name: string
  /** Number of nights that ran it. */
  readonly nights: number
  /** Of all trials that are scored; undefined where none is. */
  readonly passRate: number | undefined
  /** Duration of one trial in three of four nights, including reruns. */
  readonly duration_p75_ms: number
  /** Average cost of one trial, in USD as a decimal, rounded up to a millionth. */
  readonly cost_usd: string
  /** HTTP requests of one trial, on average. */
  readonly requests: number
  /** Oldest first, ten at most. */
  readonly lastVerdicts: ReadonlyArray<Verdict>
  /** When the last night began that ran it. */
  readonly lastRun: string
  /** Source code in its latest night; if the current source is different, the scenario has changed. */
  readonly source: string | undefined
}
