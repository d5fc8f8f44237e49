import { type Night, type NightScenario, withId } from "@webagent/nights/Night"
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Size of the history: what the screens are made for. */
export const size = { nights: 365, scenarios: 500 } as const

const scenario = (index: number, day: number): NightScenario => {
  const passed = (index * 7 + day * 13) % 97 === 0 ? 3 : 5
  const median_ms = 1000 + ((index * 31 + day * 17) % 400)
  return {
    suite: `suite-${index % 20}`,
    name: `does the thing number ${index} with a realistic name`,
    source: "aabbccddeeff0011",
    owner: `team ${index % 9}`,
    verdict: passed === 5 ? "passed" : "flaky",
    passed,
    scored: 5,
    failed: 5 - passed,
    claimed: 0,
    infra: 0,
    durations: { count: passed, mean_log: 7.123456, deviation_log: 0.123456, median_ms },
    spent_ms: 5 * median_ms,
    trials: 5,
    cost_usd: "0.0132",
    requests: 50,
    breaches: 0,
    leaks: 0
  }
}

const nightOf = (day: number): Night =>
  withId({
    version: 2,
    kind: "night",
    startedAt: new Date(Date.UTC(2025, 10, 28 + day, 2)).toISOString(),
    duration_ms: 1_500_000 + ((day * 37_000) % 400_000),
    status: "passed",
    findings: [],
    fingerprint: { target: "simulated", tool: "0.1.0", concurrency: 8, trials: 5 },
    revisions: { service: { version: `1.${Math.floor(day / 9)}` } },
    seed: 1,
    cost_usd: "6.6",
    requests: 25_000,
    breaches: 0,
    scenarios: Array.from({ length: size.scenarios }, (_, index) => scenario(index, day))
  })

/** Writes a year of nights as the history of a folder. */
export const writeYear = (folder: string): void => {
  const store = join(folder, ".webagent")
  mkdirSync(store, { recursive: true })
  const file = join(store, "history.ndjson")
  writeFileSync(file, "")
  for (let day = 0; day < size.nights; day++) appendFileSync(file, `${JSON.stringify(nightOf(day))}\n`)
}
