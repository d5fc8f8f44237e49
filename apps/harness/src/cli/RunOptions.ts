import type * as Duration from "effect/Duration"
import type { NightFiles } from "../run/NightHistory.ts"
import type { Shard } from "../run/shards/Shards.ts"

/** Where a report goes. */
export const reporterNames = ["console", "json", "junit", "markdown", "html", "ndjson"] as const

/** Where a report goes. */
export type ReporterName = (typeof reporterNames)[number]

/** What the flags and arguments of `run` say. */
export interface RunOptions extends NightFiles {
  /** Built-in names and files; none is every built-in suite. */
  readonly suites: ReadonlyArray<string>
  /** `simulated`, or an address. */
  readonly target: string
  readonly tags: ReadonlyArray<string>
  readonly name: string | undefined
  /** How often each scenario is repeated; undefined where each says so itself. */
  readonly trials: number | undefined
  /** The only trial of each scenario to run, counted from 1. */
  readonly trial: number | undefined
  readonly concurrency: number
  readonly timeout: Duration.Duration | undefined
  readonly maxTime: Duration.Duration | undefined
  readonly maxScenarioTime: Duration.Duration | undefined
  /** USD, as an exact decimal. */
  readonly maxCost: string | undefined
  /** USD that a trial may cost where its scenario declares no budget, as an exact decimal. */
  readonly trialBudget: string | undefined
  readonly maxRequests: number | undefined
  readonly reruns: number | undefined
  readonly seed: number
  readonly reporters: ReadonlyArray<ReporterName>
  readonly reportDir: string | undefined
  readonly apiKeyEnv: string
  /** The address of the target's control API. */
  readonly control: string | undefined
  readonly v2SessionId: string | undefined
  readonly allowPaid: boolean
  /** Whether every request is shown as it happens. */
  readonly debug: boolean
  /** Which part of the scenarios to run, of how many. */
  readonly shard: Shard | undefined
}
