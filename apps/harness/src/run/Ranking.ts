import * as Money from "@webagent/cli/Money"
import { median } from "@webagent/statistics/Robust"
import type { LearnedScenario } from "@webagent/nights/LearnedScenario"
import { type Planned, sourceOf } from "./Plan.ts"
import type { Limits } from "@webagent/report/RunReport"

/** Facts that determine when a scenario runs. */
export interface Rankable {
  readonly planned: Planned
  /** Statistics of the latest nights; undefined if it is new. */
  readonly learned: LearnedScenario | undefined
  /** Maximum cost of all its trials; undefined if it is unlimited. */
  readonly worst_usd: string | undefined
  /** Trials to run. */
  readonly open: number
}

/** The sum over all trials of a figure that the last nights teach; what is new is taken for the middle one. */
const expected = (scenarios: ReadonlyArray<Rankable>, figure: (learned: LearnedScenario) => number): number => {
  const known = scenarios.flatMap(({ learned }) => (learned === undefined ? [] : [figure(learned)]))
  const middle = known.length === 0 ? 0 : median(known)
  return scenarios.reduce(
    (sum, { learned, open }) => sum + open * (learned === undefined ? middle : figure(learned)),
    0
  )
}

/** True if the limits probably don't allow all scenarios to run. */
export const isShort = (scenarios: ReadonlyArray<Rankable>, limits: Limits, concurrency: number): boolean => {
  const { cost_usd, requests = Infinity, time_ms = Infinity } = limits
  if (expected(scenarios, (learned) => learned.duration_p75_ms) / concurrency > time_ms) return true
  if (expected(scenarios, (learned) => learned.requests) > requests) return true
  if (cost_usd === undefined) return false
  // what alone may cost more never begins, and takes nothing from the others
  const worst = scenarios.flatMap(({ worst_usd }) =>
    worst_usd === undefined || Money.isMore(worst_usd, cost_usd) ? [] : [worst_usd]
  )
  return Money.isMore(Money.sum(worst), cost_usd)
}

const bad = new Set(["failed", "flaky", "claimed"])

/**
 * Sort key for how much information a scenario provides, the most first: new or changed scenarios, then those that
 * failed or were flaky recently, the latest first, then those that have not run for the longest time.
 */
const rank = ({ learned, planned }: Rankable): readonly [number, number, string] => {
  if (learned === undefined || learned.source !== sourceOf(planned.scenario)) return [0, 0, ""]
  const ago = learned.lastVerdicts.toReversed().findIndex((verdict) => bad.has(verdict))
  return ago >= 0 ? [1, ago, ""] : [2, 0, learned.lastRun]
}

/** The order to run in: that of the suites, or by what each tells when a limit is likely to be reached. */
export const order = <A extends Rankable>(
  scenarios: ReadonlyArray<A>,
  limits: Limits,
  concurrency: number
): ReadonlyArray<A> => {
  if (!isShort(scenarios, limits, concurrency)) return scenarios
  return scenarios
    .map((scenario) => ({ scenario, by: rank(scenario) }))
    .toSorted(({ by: a }, { by: b }) => a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : a[2] > b[2] ? 1 : 0))
    .map(({ scenario }) => scenario)
}
