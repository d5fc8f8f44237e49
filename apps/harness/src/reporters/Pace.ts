import * as Money from "@webagent/cli/Money"
import type { RunHeader } from "@webagent/report/RunReport"
import type { Trial } from "@webagent/report/Trial"
import { counted, duration } from "@webagent/cli/Text"

/** Progress of a whole run, and its usage of its limits. */
export interface Pace {
  readonly header: RunHeader
  readonly start_ms: number
  scenarios: number
  requests: number
  cost_usd: string
  reruns: number
  /** Extra trials, which come when all scenarios are done. */
  confirmed: number
}

/** The pace of a run that begins. */
export const start = (header: RunHeader, start_ms: number): Pace => ({
  header,
  start_ms,
  scenarios: 0,
  requests: 0,
  cost_usd: "0",
  reruns: 0,
  confirmed: 0
})

const totalOf = ({ header }: Pace) => header.suites.reduce((sum, { scenarios }) => sum + scenarios, 0)

/** Adds what a trial has used. One that comes when all scenarios are done confirms. */
export const add = (pace: Pace, { cost_usd, requests, reruns }: Trial): void => {
  if (pace.scenarios >= totalOf(pace)) pace.confirmed += 1
  pace.requests += requests
  pace.reruns += reruns.length
  pace.cost_usd = Money.sum([pace.cost_usd, cost_usd])
}

// before that the rest would be guessed from too little
const leastScenarios = 3
const least_ms = 2000

/** Estimated time left at the current pace, in milliseconds; undefined if it is too early for an estimate. */
export const left_ms = (pace: Pace, now_ms: number): number | undefined => {
  const total = totalOf(pace)
  const elapsed = now_ms - pace.start_ms
  return pace.scenarios < leastScenarios || elapsed < least_ms || pace.scenarios >= total
    ? undefined
    : (elapsed / pace.scenarios) * (total - pace.scenarios)
}

/** Seconds of a guess are not worth reading. */
const about = (ms: number) =>
  ms < 60_000 ? `${Math.max(1, Math.round(ms / 1000))} s` : `${Math.round(ms / 60_000)} min`

/**
 * Formats the progress of a run in one line: `41 of 104 scenarios · 2 min 10 s · 1.24 of 10.00 USD · about 3 min left`.
 */
export const line = (pace: Pace, now_ms: number): string => {
  const { cost_usd, header, requests, reruns, scenarios } = pace
  const { limits } = header
  const total = totalOf(pace)
  const elapsed = duration(now_ms - pace.start_ms)
  const left = left_ms(pace, now_ms)
  return [
    `${scenarios} of ${counted(total, "scenario")}`,
    limits.time_ms === undefined ? elapsed : `${elapsed} of ${duration(limits.time_ms)}`,
    ...(limits.cost_usd === undefined
      ? cost_usd === "0"
        ? []
        : [Money.rounded(cost_usd)]
      : [`${Money.rounded(cost_usd).replace(" USD", "")} of ${Money.rounded(limits.cost_usd)}`]),
    ...(limits.requests === undefined ? [] : [`${requests} of ${counted(limits.requests, "request")}`]),
    ...(reruns === 0 ? [] : [counted(reruns, "rerun")]),
    ...(pace.confirmed === 0 ? [] : [counted(pace.confirmed, "extra trial")]),
    ...(left === undefined ? [] : [`about ${about(left)} left`])
  ].join(" · ")
}
