import { apiKeyHeader } from "@webagent/contract/Wire"
import { type LoadTestName, loadTests, runTimeout_ms } from "../src/LoadTest.ts"
import * as Mix from "../src/Mix.ts"
import { toMillis } from "./Duration.ts"
import * as Thresholds from "./Thresholds.ts"

/** Settings of one load test, read from environment variables. */
export interface Settings {
  readonly test: LoadTestName
  /** Of the deployment, without `/api/vN`. */
  readonly address: string
  readonly apiKey: string
  readonly apiKeyHeader: string
  /** Starts a second at full height. */
  readonly rate: number
  readonly duration_ms: number
  /** Users at full height; given, they take the place of the rate. */
  readonly vus: number | undefined
  readonly mix: Mix.Mix
  readonly thresholds: Thresholds.Thresholds
  /** The share of iterations whose answers are decoded with the contract's schemas. */
  readonly sample: number
  readonly task: string
  /** Time limit for a run to finish, in milliseconds. */
  readonly runTimeout_ms: number
  readonly summary: string | undefined
  /** Names this execution alone, when the starter has a name for it. */
  readonly execution: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

const quoted = (text: string) => `"${text}"`

/** Reads the settings. The error of an invalid one names the valid values. */
export const from = (environment: Environment, tests = loadTests): Settings => {
  const read = (name: string) => (environment[name] === "" ? undefined : environment[name])
  const required = (name: string) => {
    const value = read(name)
    if (value === undefined) throw new Error(`Set ${name}. It has no default.`)
    return value
  }
  const number = (name: string, isFine: (value: number) => boolean, expected: string) => {
    const text = read(name)
    if (text === undefined) return undefined
    const value = Number(text)
    if (!isFine(value)) throw new Error(`${name} must be ${expected}; got ${quoted(text)}.`)
    return value
  }
  const time_ms = (name: string, least: "100ms" | "1s", fallback_ms: number) => {
    const text = read(name)
    if (text === undefined) return fallback_ms
    const value = toMillis(text)
    if (value === undefined || value < (toMillis(least) ?? 0)) {
      throw new Error(`${name} must be a time of ${least} or more, such as 30s or 5m; got ${quoted(text)}.`)
    }
    return value
  }

  const test = read("WEBAGENT_LOAD_TEST") ?? "smoke"
  const defaults = Object.values(tests).find(({ name }) => name === test)
  if (defaults === undefined) {
    throw new Error(`WEBAGENT_LOAD_TEST must be ${Object.keys(tests).join(", ")}; got ${quoted(test)}.`)
  }
  const mix = Mix.parse(read("WEBAGENT_LOAD_MIX") ?? defaults.mix, "WEBAGENT_LOAD_MIX")
  const vus = number(
    "WEBAGENT_LOAD_VUS",
    (value) => Number.isInteger(value) && value >= 1,
    "a whole number of users, 1 or more"
  )
  const timeout_ms = time_ms("WEBAGENT_LOAD_RUN_TIMEOUT", "100ms", runTimeout_ms)
  return {
    test: defaults.name,
    address: required("WEBAGENT_BASE_URL").replace(/(?:\/api\/v\d+)?\/*$/u, ""),
    apiKey: required("WEBAGENT_API_KEY"),
    apiKeyHeader: read("WEBAGENT_API_KEY_HEADER") ?? apiKeyHeader,
    rate:
      number(
        "WEBAGENT_LOAD_RATE",
        (value) => value * 60 >= 1 && value <= 1e6,
        "a number of starts per second, one a minute (0.017) or more"
      ) ?? defaults.rate,
    duration_ms: time_ms("WEBAGENT_LOAD_DURATION", "1s", defaults.duration_ms),
    vus,
    mix,
    thresholds: Thresholds.from({
      test: defaults.name,
      mix,
      isOpen: vus === undefined,
      runTimeout_ms: timeout_ms,
      overrides: read("WEBAGENT_LOAD_THRESHOLDS")
    }),
    sample: number("WEBAGENT_LOAD_SAMPLE", (value) => value >= 0 && value <= 1, "a share from 0 to 1") ?? 0.01,
    // A simulated agent does what the bracket says; another one greets.
    task: read("WEBAGENT_LOAD_TASK") ?? "Say hello [simulate outcome=completed duration=200ms]",
    runTimeout_ms: timeout_ms,
    summary: read("WEBAGENT_LOAD_SUMMARY"),
    execution: read("WEBAGENT_LOAD_EXECUTION")
  }
}
