import type * as Redacted from "effect/Redacted"
import type { LoadTest } from "./LoadTest.ts"

/** A load test with how much of it. */
export interface LoadPlan {
  readonly test: LoadTest
  /** Starts a second at its full height. */
  readonly rate: number
  /** Time during which new work is started, in milliseconds. */
  readonly duration_ms: number
}

/** Settings of a load besides its plan; the script chooses missing ones. */
export interface LoadSettings {
  /** A closed model: this many virtual users, and each waits for its own responses. */
  readonly vus: number | undefined
  /** Weights of the flows: `runs=3,browsers=1`. */
  readonly mix: string | undefined
  /** The share of responses that are decoded with the contract's schemas. */
  readonly sample: number | undefined
  /** The task of each run. */
  readonly task: string | undefined
  /** Time limit for a run to finish, in milliseconds. */
  readonly run_timeout_ms: number | undefined
  /** Limits by metric, in place of those of the script. */
  readonly thresholds: Readonly<Record<string, ReadonlyArray<string>>> | undefined
}

/** The service that a load is sent to. */
export interface LoadTarget {
  readonly name: string
  readonly address: string
  readonly apiKey: Redacted.Redacted
  readonly apiKeyHeader: string
  readonly simulated: boolean
}

/**
 * Returns the environment variables of the load test's script, without the API key.
 *
 * @param plan - The test, its rate in starts per second, and its duration in milliseconds.
 * @param settings - The mix, timeouts, thresholds and other settings.
 * @param address - The address of the service.
 * @returns The variables by name.
 * @example
 * ```ts
 * import type { LoadSettings } from "@webagent/load/LoadPlan"
 * import { publicVariables } from "@webagent/load/LoadPlan"
 * import { loadTests } from "@webagent/load/LoadTest"
 *
 * export const smokeOf = (address: string, settings: LoadSettings) =>
 *   publicVariables({ test: loadTests.smoke, rate: 5, duration_ms: 60_000 }, settings, address)
 * ```
 */
export const publicVariables = (
  { duration_ms, rate, test }: LoadPlan,
  { mix, run_timeout_ms, sample, task, thresholds, vus }: LoadSettings,
  address: string
): Readonly<Record<string, string>> => ({
  WEBAGENT_BASE_URL: address,
  WEBAGENT_LOAD_TEST: test.name,
  WEBAGENT_LOAD_RATE: String(rate),
  WEBAGENT_LOAD_DURATION: `${duration_ms}ms`,
  ...(vus === undefined ? {} : { WEBAGENT_LOAD_VUS: String(vus) }),
  ...(mix === undefined ? {} : { WEBAGENT_LOAD_MIX: mix }),
  ...(sample === undefined ? {} : { WEBAGENT_LOAD_SAMPLE: String(sample) }),
  ...(task === undefined ? {} : { WEBAGENT_LOAD_TASK: task }),
  ...(run_timeout_ms === undefined ? {} : { WEBAGENT_LOAD_RUN_TIMEOUT: `${run_timeout_ms}ms` }),
  ...(thresholds === undefined ? {} : { WEBAGENT_LOAD_THRESHOLDS: JSON.stringify(thresholds) })
})

/**
 * Returns all environment variables of the load test's script.
 *
 * @param plan - The test, its rate in starts per second, and its duration in milliseconds.
 * @param settings - The mix, timeouts, thresholds and other settings.
 * @param target - The address of the service, and its API key.
 * @returns The variables by name. The key is redacted.
 * @example
 * ```ts
 * import { type LoadSettings, type LoadTarget, variables } from "@webagent/load/LoadPlan"
 * import { loadTests } from "@webagent/load/LoadTest"
 *
 * export const smokeOf = (target: LoadTarget, settings: LoadSettings) =>
 *   variables({ test: loadTests.smoke, rate: 5, duration_ms: 60_000 }, settings, target)
 * ```
 */
export const variables = (
  plan: LoadPlan,
  settings: LoadSettings,
  { address, apiKey, apiKeyHeader }: LoadTarget
): Readonly<Record<string, string | Redacted.Redacted>> => ({
  ...publicVariables(plan, settings, address),
  WEBAGENT_API_KEY: apiKey,
  WEBAGENT_API_KEY_HEADER: apiKeyHeader
})
