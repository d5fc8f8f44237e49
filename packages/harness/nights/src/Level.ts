import type { Amount, Figure } from "@webagent/report/Comparison"
import type { NightScenario } from "./Night.ts"

/** A figure that is measured and not counted: the nights are its sample, never the requests or trials of one. */
export interface Level {
  readonly figure: Figure
  /** The natural logarithm of what one trial of a scenario has, where it has any. */
  readonly of: (scenario: NightScenario) => number | undefined
  /** The deviation of a service's nights as a rule, as a logarithm. */
  readonly nightly: number
  readonly amountOf: (value: number) => Amount
}

/** A smaller change of a level is not reported, however certain it is. */
export const tolerance = 0.05

/** A shorter trial counts as this long, in milliseconds: below it a clock says more of the machine than of the service. */
export const shortest = 20

/** Durations of trials. */
export const duration: Level = {
  figure: "duration",
  // the median of the few that passed may be that of one outlier
  of: ({ durations, scored, unrun = 0 }) =>
    durations === undefined || 2 * durations.count < scored + unrun
      ? undefined
      : Math.log(Math.max(shortest, durations.median_ms)),
  nightly: 0.04,
  amountOf: (milliseconds) => ({ _tag: "Duration", milliseconds })
}

// estimates have no more digits that mean anything
const decimal = (usd: number) => String(Number(usd.toPrecision(6)))

/** Costs of trials. */
export const cost: Level = {
  figure: "cost",
  of: ({ cost_usd, trials, unrun }) => {
    // what a trial had cost when it was cut short is in it, too
    if (unrun !== undefined) return undefined
    const each = Number(cost_usd) / trials
    return each > 0 ? Math.log(each) : undefined
  },
  nightly: 0.015,
  amountOf: (usd) => ({ _tag: "Cost", usd: decimal(usd) })
}
