import { defined } from "@webagent/cli/Defined"
import type { Need, Scenario } from "@webagent/scenario"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Budget from "./Budget.ts"
import type { LearnedScenario } from "@webagent/nights/LearnedScenario"
import type * as Skip from "@webagent/report/Skip"
import type * as ScenarioLimit from "@webagent/report/ScenarioLimit"
import { median } from "@webagent/statistics/Robust"
import * as Duration from "effect/Duration"
import * as Money from "@webagent/cli/Money"
import * as PassRate from "@webagent/report/PassRate"
import {
  budgetOf,
  isCostLimited,
  mayCost,
  type Planned,
  seedOf,
  sourceOf,
  trialBudgetOf,
  trialsOf,
  worstOf
} from "./Plan.ts"
import { scenarioKey, trialKey } from "./RunnerOptions.ts"
import { type ScenarioResult, unrun, verdictOf } from "@webagent/report/RunReport"
import { type Failure, isTimed, type Trial } from "@webagent/report/Trial"
import * as TrialLog from "../observe/TrialLog.ts"
import * as TrialRun from "./TrialRun.ts"
import * as LimitText from "@webagent/findings/words/LimitText"

/** A scenario, and the trials of it that have run. */
export interface ScenarioRun {
  readonly planned: Planned
  /** Maximum cost of all its trials before it fails; undefined without a limit. */
  readonly budget_usd: string | undefined
  readonly account: Budget.Account
  readonly learned: LearnedScenario | undefined
  /** The index of the first of them. */
  readonly first: number
  /** In their order; what has not ended, or is not to be run, is undefined. */
  readonly trials: Array<Trial | undefined>
  /** Extra trials that an earlier run has done. */
  readonly confirmed: ReadonlyArray<Trial>
  /** The reason why the target doesn't support it. */
  readonly lacking: Skip.Skip | undefined
  /** Asks the budget once, for all its trials. */
  readonly admission: Effect.Effect<Skip.Skip | undefined>
  admitted: boolean
  started_ms: number | undefined
  /** Trials that have neither ended nor been refused. */
  left: number
  /** The reason why one of its trials was not run. */
  refused: Skip.Skip | undefined
}

/** The reason why a scenario doesn't run: it is skipped in its suite, or the target lacks one of its needs. */
export const unserved = (
  { needs, skip }: Scenario,
  lacks: (need: Need) => string | undefined
): Skip.Skip | undefined => {
  const why = skip ?? needs.map(lacks).find((reason) => reason !== undefined)
  return why === undefined ? undefined : { _tag: "Unserved", why }
}

/** A scenario without trials, but for those that an earlier run has done. */
export const make = Effect.fnUntraced(function* ({ budget, options }: TrialRun.RunState, planned: Planned) {
  const { limits, trials: asked } = options.header
  const { name } = planned.scenario
  const { done, only } = options
  const first = only ?? 0
  const wanted = only === undefined ? trialsOf(planned, asked) : 1
  const doneOf = (place: number) => done?.get(trialKey(planned.suite, name, first + place))
  const trials = Array.from({ length: wanted }, (_, place) => doneOf(place))
  const confirmed: Array<Trial> = []
  for (let trial = doneOf(wanted); trial !== undefined; trial = doneOf(wanted + confirmed.length)) {
    confirmed.push(trial)
    budget.settle(Budget.account(undefined), trial)
  }
  const budget_usd = budgetOf(planned, asked, limits.trialBudget_usd)
  const account = Budget.account(worstOf(planned, budget_usd))
  for (const trial of trials) {
    if (trial !== undefined) budget.settle(account, trial)
  }
  return {
    planned,
    budget_usd,
    account,
    learned: options.learned?.get(scenarioKey(planned.suite, name)),
    first,
    trials,
    confirmed,
    lacking: unserved(planned.scenario, options.lacks),
    admission: yield* Effect.cached(budget.enter(account)),
    admitted: false,
    started_ms: undefined,
    left: trials.filter((trial) => trial === undefined).length,
    refused: undefined
  } satisfies ScenarioRun as ScenarioRun
})

/** The places of the trials that are to be run. */
export const open = ({ trials }: ScenarioRun): ReadonlyArray<number> =>
  trials.flatMap((trial, place) => (trial === undefined ? [place] : []))

const deadlineOf = (
  { availability, options, start }: TrialRun.RunState,
  started_ms: number
): TrialRun.Deadline | undefined => {
  const { scenarioTime_ms = Infinity, time_ms = Infinity } = options.header.limits
  // an outage uses the time of the run, and not that of its scenarios
  const own_ms = started_ms + scenarioTime_ms + availability.lostSince(Number(start) / 1e6 + started_ms)
  if (Math.min(own_ms, time_ms) === Infinity) return undefined
  return time_ms <= own_ms
    ? { at_ms: time_ms, skip: { _tag: "TimeLimit", limit_ms: time_ms } }
    : { at_ms: own_ms, skip: { _tag: "ScenarioTimeLimit", limit_ms: scenarioTime_ms } }
}

/** The reason why a trial may not start now; undefined if it may. */
const refusalOf = (
  { budget, options }: TrialRun.RunState,
  { learned, planned }: ScenarioRun,
  deadline: TrialRun.Deadline | undefined,
  now_ms: number
): Skip.Skip | undefined =>
  deadline !== undefined && now_ms + (learned?.duration_p75_ms ?? 0) >= deadline.at_ms
    ? deadline.skip
    : (budget.refusal ??
      (mayCost(planned) && isCostLimited(planned, options.header.limits) ? budget.spendingRefusal : undefined))

/** The reason why no further trial of the scenario may start: its own budget is used up. */
const overspent = ({ account, budget_usd }: ScenarioRun): Skip.Skip | undefined =>
  budget_usd !== undefined && Money.isMore(account.spent_usd, budget_usd)
    ? { _tag: "BudgetUsed", budget_usd }
    : undefined

const namedOf = ({ planned: { scenario, suite } }: ScenarioRun) => ({ suite, scenario: scenario.name })

/** Runs one trial, and takes in what it cost. */
const perform = Effect.fnUntraced(function* (
  state: TrialRun.RunState,
  of: ScenarioRun,
  account: Budget.Account,
  index: number,
  deadline: () => TrialRun.Deadline | undefined
) {
  const { emit } = state.options
  yield* emit({ _tag: "TrialStarted", ...namedOf(of), index })
  const { log, trial } = yield* TrialRun.run(state, { planned: of.planned, index, deadline })
  account.unknown ||= TrialLog.mayCostMore(log)
  // one that may still run has its reservation, and gets its cost; one that is over never will
  const unpriced = trial.costUnknown?.find((id) => TrialLog.isOver(log, id))
  if (unpriced !== undefined) state.budget.stopSpending(unpriced)
  state.budget.settle(account, trial, log)
  yield* emit({ _tag: "TrialFinished", ...namedOf(of), trial })
  return trial
})

/** Runs one trial beyond the planned ones, which pays for itself; answers why it may not begin, where a limit forbids it. */
export const runMore = Effect.fnUntraced(function* (
  state: TrialRun.RunState,
  of: ScenarioRun,
  index: number,
  from_ms: number
) {
  const { limits, trials } = state.options.header
  const away = yield* state.availability.reachable.pipe(Effect.interruptible, Effect.exit)
  if (Exit.isFailure(away)) return TrialRun.stopped
  const deadline = () => deadlineOf(state, from_ms)
  const refused = away.value ?? refusalOf(state, of, deadline(), yield* TrialRun.elapsed(state))
  if (refused !== undefined) return refused
  const account = Budget.account(trialBudgetOf(of.planned, trials, limits.trialBudget_usd))
  const entered = yield* state.budget.enter(account).pipe(Effect.interruptible, Effect.exit)
  if (Exit.isFailure(entered)) return TrialRun.stopped
  if (entered.value !== undefined) return entered.value
  const trial = yield* perform(state, of, account, index, deadline)
  state.budget.leave(account)
  return trial
})

/** Runs one of its trials, unless a limit forbids it; answers the result with the last of them. */
export const run = Effect.fnUntraced(function* (state: TrialRun.RunState, of: ScenarioRun, place: number) {
  const forbidden = yield* Effect.interruptible(of.admission)
  of.admitted ||= forbidden === undefined
  const away = yield* Effect.interruptible(state.availability.reachable)
  const now_ms = yield* TrialRun.elapsed(state)
  const began_ms = of.started_ms ?? now_ms
  const deadline = () => deadlineOf(state, began_ms)
  const refused = forbidden ?? away ?? refusalOf(state, of, deadline(), now_ms) ?? overspent(of)
  if (refused === undefined) {
    if (of.started_ms === undefined) {
      of.started_ms = now_ms
      yield* state.options.emit({ _tag: "ScenarioStarted", ...namedOf(of) })
    }
    of.trials[place] = yield* perform(state, of, of.account, of.first + place, deadline)
  } else {
    of.refused ??= refused
  }
  of.left -= 1
  return of.left === 0 ? yield* finish(state, of) : undefined
})

const overBudget = ({ budget_usd, planned }: ScenarioRun, cost_usd: string): Failure | undefined => {
  const { where } = planned.scenario
  return budget_usd === undefined || !Money.isMore(cost_usd, budget_usd)
    ? undefined
    : {
        kind: "budget",
        message: "exceeded its budget",
        expected: `at most ${Money.shown(budget_usd)}`,
        actual: Money.shown(cost_usd),
        ...(where === undefined ? {} : { where })
      }
}

/** Its own limits that its trials exceeded. */
const exceededBy = (
  { planned: { scenario } }: ScenarioRun,
  ran: ReadonlyArray<Trial>,
  cost_usd: string
): ReadonlyArray<ScenarioLimit.ScenarioLimit> => {
  const { maxCost_usd, maxDuration } = scenario
  const timed = ran.filter(isTimed)
  const actual_ms = median(timed.map(({ duration_ms }) => duration_ms))
  const limit_ms = maxDuration === undefined ? Infinity : Duration.toMillis(maxDuration)
  const actual_usd = Money.share(cost_usd, 1, Math.max(1, ran.length))
  return [
    ...(actual_ms > limit_ms ? [{ _tag: "MaxDuration", limit_ms, actual_ms } as const] : []),
    ...(maxCost_usd !== undefined && Money.isMore(actual_usd, maxCost_usd)
      ? [{ _tag: "MaxCost", limit_usd: maxCost_usd, actual_usd } as const]
      : [])
  ]
}

const overLimit = (
  { planned }: ScenarioRun,
  exceeded: ReadonlyArray<ScenarioLimit.ScenarioLimit>
): Failure | undefined => {
  const { where } = planned.scenario
  return exceeded.length === 0
    ? undefined
    : {
        kind: "limit",
        message: `exceeded its limit: ${exceeded.map(LimitText.ofScenario).join("; ")}`,
        ...(where === undefined ? {} : { where })
      }
}

/** Facts about a scenario before it runs. */
export const factsOf = ({ scenario, suite }: Planned) => {
  const { name, needs, owner, tags } = scenario
  return { suite, name, source: sourceOf(scenario), tags, ...(owner === undefined ? {} : { owner }), needs }
}

const skipped = (seed: number, index: number, skip: Skip.Skip): Trial => ({
  index,
  seed,
  verdict: "skipped",
  skip,
  started_ms: 0,
  duration_ms: 0,
  checks: 0,
  requests: 0,
  cost_usd: "0",
  reruns: [],
  leakedBrowsers: [],
  breaches: []
})

/** Builds the result of a scenario after its last trial, including a scenario that was stopped early. */
export const finish = Effect.fnUntraced(function* (state: TrialRun.RunState, of: ScenarioRun) {
  const { planned } = of
  const now_ms = yield* TrialRun.elapsed(state)
  if (of.admitted) state.budget.leave(of.account)
  const why = of.refused ?? TrialRun.stopped
  if (of.trials.every((trial) => trial === undefined)) return unrun(factsOf(planned), now_ms, why)
  const trials = of.trials.map(
    (trial, place) =>
      trial ?? skipped(seedOf(state.options.header.seed, planned, of.first + place), of.first + place, why)
  )
  // an earlier run may have done some of its trials, or all
  const ran = trials.filter((trial) => trial.verdict !== "skipped")
  const begun = ran.flatMap((trial) => [trial, ...trial.reruns]).map((tried) => tried.started_ms)
  const started_ms = Math.min(of.started_ms ?? now_ms, ...begun)
  const ended_ms =
    of.started_ms === undefined ? Math.max(...ran.map((one) => one.started_ms + one.duration_ms)) : now_ms
  const cost_usd = Money.sum(trials.map((trial) => trial.cost_usd))
  const verdict = verdictOf(trials)
  const exceeded = exceededBy(of, ran, cost_usd)
  const expensive = verdict === "passed" ? (overBudget(of, cost_usd) ?? overLimit(of, exceeded)) : undefined
  const failure = trials.find((trial) => trial.failure !== undefined)?.failure ?? expensive
  const { notRerun, reason, skip } =
    trials.find((trial) => trial.verdict === "skipped" || trial.verdict === verdict) ?? {}
  const passRate = PassRate.of(trials)
  return {
    ...factsOf(planned),
    started_ms,
    verdict: expensive === undefined ? verdict : "failed",
    ...defined({ reason, notRerun, skip, failure, passRate }),
    ...(exceeded.length === 0 ? {} : { exceeded }),
    duration_ms: Math.max(0, ended_ms - started_ms),
    checks: trials.reduce((sum, trial) => sum + trial.checks, 0),
    cost_usd,
    trials
  } satisfies ScenarioResult
})
