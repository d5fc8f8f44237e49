import type { LearnedScenario } from "@webagent/nights/LearnedScenario"
import type { RunHeader } from "@webagent/report/RunReport"
import { scenarioKey } from "../RunnerOptions.ts"
import { hashOf, type Planned, trialsOf } from "../Plan.ts"
import { quantile, sorted } from "@webagent/statistics/Quantile"

/** One of several parts of a plan; `index` counts from 1. */
export interface Shard {
  readonly index: number
  readonly of: number
}

/** A scenario with how long all its trials are expected to take, in any unit. */
export interface Weighed {
  readonly suite: string
  readonly name: string
  readonly weight: number
}

type Durations = ReadonlyMap<string, Pick<LearnedScenario, "duration_p75_ms">>

const p75 = (durations: ReadonlyArray<number>): number | undefined =>
  durations.length === 0 ? undefined : quantile(sorted(durations), 0.75)

/**
 * Expected duration of each scenario of a plan: its learned duration, or the third quartile of its suite's scenarios,
 * or that of all scenarios, times its trials. Without any learned durations, each trial counts the same.
 */
export const weigh = (plan: ReadonlyArray<Planned>, learned: Durations, trials?: number): ReadonlyArray<Weighed> => {
  const durations = plan.flatMap(({ scenario, suite }) => {
    const duration_ms = learned.get(scenarioKey(suite, scenario.name))?.duration_p75_ms
    return duration_ms === undefined || duration_ms <= 0 ? [] : [{ suite, duration_ms }]
  })
  const all = p75(durations.map(({ duration_ms }) => duration_ms)) ?? 1
  const ofSuite = new Map(
    [...Map.groupBy(durations, ({ suite }) => suite)].map(([suite, of]) => [
      suite,
      p75(of.map(({ duration_ms }) => duration_ms)) ?? all
    ])
  )
  return plan.map((planned) => {
    const { scenario, suite } = planned
    const learnt_ms = learned.get(scenarioKey(suite, scenario.name))?.duration_p75_ms ?? 0
    const duration_ms = learnt_ms > 0 ? learnt_ms : (ofSuite.get(suite) ?? all)
    return { suite, name: scenario.name, weight: duration_ms * trialsOf(planned, trials) }
  })
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Which shard takes which scenario: the longest first, each to the shard that has the least to do (LPT, at most a third
 * longer than the best there is). Ties go by name and by number: the answer depends on what is given, not on its order.
 */
export const split = (scenarios: ReadonlyArray<Weighed>, of: number): ReadonlyMap<string, number> => {
  const loads = Array.from({ length: of }, () => 0)
  const shards = new Map<string, number>()
  const order = scenarios.toSorted((a, b) => b.weight - a.weight || byText(a.suite, b.suite) || byText(a.name, b.name))
  for (const { name, suite, weight } of order) {
    let least = 0
    for (const [index, load] of loads.entries()) if (load < (loads[least] ?? 0)) least = index
    loads[least] = (loads[least] ?? 0) + weight
    shards.set(scenarioKey(suite, name), least + 1)
  }
  return shards
}

/**
 * The part of a plan that a shard runs, and how all of it is split, the same on every machine that is given the same.
 * `was` is how a run that goes on was split, whatever has been learnt since.
 */
export const partOf = ({
  learned,
  plan,
  shard,
  trials,
  was
}: {
  readonly plan: ReadonlyArray<Planned>
  readonly learned: Durations
  /** Number of trials of each scenario; undefined if each one declares its own. */
  readonly trials: number | undefined
  readonly shard: Shard
  readonly was: RunHeader["shard"]
}): { readonly plan: ReadonlyArray<Planned>; readonly shard: NonNullable<RunHeader["shard"]> } => {
  const shards =
    was?.plan === undefined
      ? split(weigh(plan, learned, trials), shard.of)
      : new Map(was.plan.map(({ name, shard, suite }) => [scenarioKey(suite, name), shard]))
  const of = ({ scenario, suite }: Planned) => shards.get(scenarioKey(suite, scenario.name)) ?? 0
  const all = plan.map((planned) => ({ suite: planned.suite, name: planned.scenario.name, shard: of(planned) }))
  return {
    plan: plan.filter((planned) => of(planned) === shard.index),
    shard: was?.plan === undefined ? { ...shard, plan: all, suitesHash: hashOf(plan) } : was
  }
}
