import * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"
import type { LoadPlan } from "./LoadTest.ts"

/** What shapes a load beside its plan; what is not given is the script's own choice. */
export interface LoadSettings {
  /** A closed model: so many virtual users, each of which waits for its own answers. */
  readonly vus: number | undefined
  /** Weights of the flows: `runs=3,browsers=1`. */
  readonly mix: string | undefined
  /** The share of answers that are decoded with the contract's schemas. */
  readonly sample: number | undefined
  /** What a run is asked to do. */
  readonly task: string | undefined
  /** How long one waits for the end of a run. */
  readonly run_timeout_ms: number | undefined
  /** Limits by metric, over those of the script. */
  readonly thresholds: Readonly<Record<string, ReadonlyArray<string>>> | undefined
}

/** Where a load goes, and with which key. */
export interface Addressee {
  readonly address: string
  readonly apiKey: Redacted.Redacted
  readonly apiKeyHeader: string
}

/** What a script is told beside the key, by the names of its variables. */
export const told = (
  { duration, rate, test }: LoadPlan,
  { mix, run_timeout_ms, sample, task, thresholds, vus }: LoadSettings,
  address: string
): Readonly<Record<string, string>> => ({
  WEBAGENT_BASE_URL: address,
  WEBAGENT_LOAD_TEST: test.name,
  WEBAGENT_LOAD_RATE: String(rate),
  WEBAGENT_LOAD_DURATION: `${Duration.toMillis(duration)}ms`,
  ...(vus === undefined ? {} : { WEBAGENT_LOAD_VUS: String(vus) }),
  ...(mix === undefined ? {} : { WEBAGENT_LOAD_MIX: mix }),
  ...(sample === undefined ? {} : { WEBAGENT_LOAD_SAMPLE: String(sample) }),
  ...(task === undefined ? {} : { WEBAGENT_LOAD_TASK: task }),
  ...(run_timeout_ms === undefined ? {} : { WEBAGENT_LOAD_RUN_TIMEOUT: `${run_timeout_ms}ms` }),
  ...(thresholds === undefined ? {} : { WEBAGENT_LOAD_THRESHOLDS: JSON.stringify(thresholds) })
})

/** All that a script is told. */
export const variables = (
  plan: LoadPlan,
  settings: LoadSettings,
  { address, apiKey, apiKeyHeader }: Addressee
): Readonly<Record<string, string | Redacted.Redacted>> => ({
  ...told(plan, settings, address),
  WEBAGENT_API_KEY: apiKey,
  WEBAGENT_API_KEY_HEADER: apiKeyHeader
})
