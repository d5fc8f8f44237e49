import { type Night, type NightScenario, withId } from "../src/Night.ts"
import { verdictOf } from "@webagent/report/RunReport"
import { trial } from "./reports.ts"

/** A scenario of a night: `passed` of five trials passed, with usual times and costs unless changed. */
export const scenario = (name: string, passed = 5, change: Partial<NightScenario> = {}): NightScenario => {
  const scored = change.scored ?? 5
  const time_ms = change.durations?.median_ms ?? 1000
  return {
    suite: "shop",
    name,
    source: "aa",
    verdict: verdictOf([
      ...Array.from({ length: passed }, () => trial()),
      ...Array.from({ length: scored - passed }, () => trial({ verdict: "failed" }))
    ]),
    passed,
    scored,
    failed: scored - passed,
    claimed: 0,
    infra: 0,
    durations: { count: passed, mean_log: Math.log(time_ms), median_ms: time_ms },
    spent_ms: 5 * time_ms,
    trials: 5,
    cost_usd: "0.05",
    requests: 50,
    breaches: 0,
    leaks: 0,
    ...change
  }
}

/** Durations of passed trials that all took so long. */
export const took = (time_ms: number): Pick<NightScenario, "durations"> => ({
  durations: { count: 5, mean_log: Math.log(time_ms), median_ms: time_ms }
})

/** The night of a day in 2026, counted from 0. */
export const night = (
  day: number,
  scenarios: ReadonlyArray<NightScenario>,
  change: Partial<Omit<Night, "id">> = {}
): Night =>
  withId({
    version: 2,
    kind: "night",
    startedAt: new Date(Date.UTC(2026, 0, 1 + day, 2)).toISOString(),
    duration_ms: 60_000,
    fingerprint: {
      target: "simulated",
      tool: "0.1.0",
      machine: { cpu: "x", cores: 2, platform: "linux-x64", node: "24" },
      concurrency: 8,
      trials: 5
    },
    seed: 1,
    cost_usd: "1",
    requests: 100,
    breaches: 0,
    scenarios,
    ...change
  })
