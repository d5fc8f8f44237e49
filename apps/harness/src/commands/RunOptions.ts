import type * as Duration from "effect/Duration"

/** Where a report goes. */
export const reporterNames = ["console", "json", "junit", "ndjson"] as const

/** Where a report goes. */
export type ReporterName = (typeof reporterNames)[number]

/** What the flags and arguments of `run` say. */
export interface RunOptions {
  /** Built-in names and files; none is every built-in suite. */
  readonly suites: ReadonlyArray<string>
  /** `simulated`, or an address. */
  readonly target: string
  readonly tags: ReadonlyArray<string>
  readonly name: string | undefined
  readonly concurrency: number
  readonly timeout: Duration.Duration | undefined
  readonly seed: number
  readonly reporters: ReadonlyArray<ReporterName>
  readonly reportDir: string | undefined
  readonly apiKeyEnv: string
  readonly v2SessionId: string | undefined
  readonly allowPaid: boolean
}
