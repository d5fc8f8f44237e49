import type { CutCost } from "@webagent/report/CutCost"
import type { LearnedScenario } from "@webagent/nights/LearnedScenario"
import * as Money from "@webagent/report/Money"
import { budgetOf, mayCost, type Planned, trialsOf } from "./Plan.ts"
import type { Trial } from "@webagent/report/Trial"

/** What bounds the cost of a trial of a scenario. */
export interface Bounds {
  readonly trials: number | null
  readonly trialBudget_usd: string | undefined
  readonly learned: LearnedScenario | undefined
  /** Trials of the same scenario that have ended. */
  readonly ended: ReadonlyArray<Pick<Trial, "cost_usd">>
}

const dearer = (one: string, other: string) => (Money.isMore(one, other) ? one : other)

/**
 * What one trial of a scenario may cost: its part of the budget, or what the trials of its dearest night cost each, or what
 * the dearest that has ended did, whichever is more. Undefined where there is none of these.
 */
export const mostOf = (planned: Planned, { ended, learned, trialBudget_usd, trials }: Bounds): string | undefined => {
  if (!mayCost(planned)) return "0"
  const budget_usd = budgetOf(planned, trials, trialBudget_usd)
  const bounds = [
    ...(budget_usd === undefined ? [] : [Money.share(budget_usd, 1, trialsOf(planned, trials))]),
    ...(learned === undefined ? [] : [learned.dearest_usd]),
    ...ended.map(({ cost_usd }) => cost_usd)
  ]
  return bounds.length === 0 ? undefined : bounds.reduce(dearer)
}

/** What trials cost together of which it is known what each may have cost, and what some of it was. */
export const sum = (bounds: ReadonlyArray<string | undefined>, known: ReadonlyArray<string>): CutCost => {
  const bounded = bounds.filter((bound) => bound !== undefined)
  const known_usd = Money.sum(known)
  return {
    trials: bounds.length,
    known_usd,
    most_usd: bounded.length < bounds.length ? null : dearer(known_usd, Money.sum(bounded))
  }
}
