import type { Scenario, Suite } from "@webagent/scenario"
import * as Hash from "effect/Hash"
import { createHash } from "node:crypto"
import * as Money from "@webagent/cli/Money"
import type { Limits } from "@webagent/report/RunReport"

/** A scenario of a plan with the suite that it belongs to. */
export interface Planned {
  readonly suite: string
  readonly scenario: Scenario
  /** Number of trials, which overrides the number of the run. */
  readonly trials?: number
}

/** Which scenarios of the suites to take; a scenario has to fit all that is given. */
interface Selection {
  /** Any of these. */
  readonly tags: ReadonlyArray<string>
  /** Any of these, in any case. */
  readonly owners?: ReadonlyArray<string>
  /** A part of the name, in any case; the whole of a name is of that scenario alone. */
  readonly name?: string
}

/** The selected scenarios in the order of the suites. */
export const make = (suites: ReadonlyArray<Suite.Suite>, selection: Selection): ReadonlyArray<Planned> => {
  const part = selection.name?.toLowerCase()
  const owners = selection.owners?.map((owner) => owner.toLowerCase()) ?? []
  // a replay is of one scenario, whatever others are called
  const isWhole = suites.some(({ scenarios }) => scenarios.some(({ name }) => name === selection.name))
  const fits = ({ name, owner, tags }: Scenario) =>
    (selection.tags.length === 0 || tags.some((tag) => selection.tags.includes(tag))) &&
    (owners.length === 0 || owners.includes(owner?.toLowerCase() ?? "")) &&
    (part === undefined || (isWhole ? name === selection.name : name.toLowerCase().includes(part)))
  // who names a scenario means that one, whatever another says
  const focuses = part === undefined && suites.some(({ scenarios }) => scenarios.some(({ only }) => only))
  const selected = (scenario: Scenario) => fits(scenario) && (!focuses || scenario.only)
  return suites.flatMap((suite) =>
    suite.scenarios.filter(selected).map((scenario) => ({ suite: suite.name, scenario }))
  )
}

/**
 * Seed of one trial's random inputs. It derives from the run's seed and the trial's number, not from the time when the
 * trial runs.
 */
export const seedOf = (seed: number, planned: Planned, trial: number): number =>
  Hash.string(JSON.stringify([seed, planned.suite, planned.scenario.name, trial])) >>> 0

/** A hash of how a scenario is written, by which a history knows that it was changed. */
export const sourceOf = ({ source }: Scenario): string =>
  createHash("sha256").update(source.replaceAll(/\s+/gu, " ")).digest("hex").slice(0, 16)

/** A hash of what a plan's scenarios are and how they are written, in their order. */
export const hashOf = (plan: ReadonlyArray<Planned>): string =>
  createHash("sha256")
    .update(
      JSON.stringify(plan.map(({ scenario, suite }) => [suite, scenario.name, scenario.trials, sourceOf(scenario)]))
    )
    .digest("hex")
    .slice(0, 16)

/** Number of trials of a scenario in a plan: its own number, or the run's, or the number that it declares. */
export const trialsOf = ({ scenario, trials: own }: Planned, trials: number | null | undefined): number =>
  own ?? trials ?? scenario.trials

/**
 * The budget of all trials of a scenario, in USD as an exact decimal. A declared one is for as many trials as the scenario
 * declares, and holds in proportion for more or fewer; else each trial may cost `trialBudget`, where that is given.
 */
export const budgetOf = (
  planned: Planned,
  trials: number | null | undefined,
  trialBudget: string | undefined
): string | undefined => {
  const { budget_usd, trials: declared } = planned.scenario
  const wanted = trialsOf(planned, trials)
  if (budget_usd !== undefined) {
    return wanted === declared ? Money.sum([budget_usd]) : Money.share(budget_usd, wanted, declared)
  }
  return trialBudget === undefined || !mayCost(planned) ? undefined : Money.share(trialBudget, wanted, 1)
}

/**
 * True if a scenario may create a resource that costs money. A scenario with no needs, or that only needs our own
 * assumptions, doesn't.
 */
export const mayCost = ({ scenario }: Planned): boolean => scenario.needs.some((need) => need !== "assumptions")

/** True if a cost limit applies to a scenario: the run's, or its own. */
export const isCostLimited = ({ scenario }: Planned, limits: Limits): boolean =>
  limits.cost_usd !== undefined ||
  limits.trialBudget_usd !== undefined ||
  scenario.budget_usd !== undefined ||
  scenario.maxCost_usd !== undefined

/** Maximum cost of one trial of a scenario: its part of the budget; undefined if it is unlimited. */
export const trialBudgetOf = (
  planned: Planned,
  trials: number | null | undefined,
  trialBudget: string | undefined
): string | undefined => {
  if (!mayCost(planned)) return "0"
  const budget_usd = budgetOf(planned, trials, trialBudget)
  return budget_usd === undefined ? undefined : Money.share(budget_usd, 1, trialsOf(planned, trials))
}

/** The most that all trials of a scenario may cost: undefined where nothing bounds it. */
export const worstOf = (planned: Planned, budget_usd: string | undefined): string | undefined =>
  budget_usd ?? (mayCost(planned) ? undefined : "0")

/** Default number of reruns in a plan: a tenth of its trials, at least 3. */
export const rerunsOf = (plan: ReadonlyArray<Planned>, trials: number | undefined): number =>
  Math.max(3, Math.ceil(plan.reduce((sum, planned) => sum + trialsOf(planned, trials), 0) / 10))
