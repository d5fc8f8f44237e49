import * as BetaBinomial from "@webagent/statistics/BetaBinomial"
import * as Binomial from "@webagent/statistics/Binomial"
import { power } from "@webagent/statistics/Power"
import type { TableScenario } from "./Table.ts"
import { least } from "./Past.ts"
import { windows } from "./Shift.ts"

/** Failure rate of a scenario in earlier nights. */
export interface Rate {
  readonly failed: number
  readonly scored: number
  readonly nights: number
}

const longest = 30

/** The failures of the last thirty baseline nights before the last `window` nights. */
export const rateOf = ({ failed, isBaseline, scored }: TableScenario, window = 1): Rate => {
  const rate = { failed: 0, scored: 0, nights: 0 }
  for (let index = failed.length - 1 - window; index >= 0 && rate.nights < longest; index--) {
    const trials = scored[index] ?? 0
    if (isBaseline[index] !== true || !(trials > 0)) continue
    rate.failed += failed[index] ?? 0
    rate.scored += trials
    rate.nights++
  }
  return rate
}

/** Distribution of failures over nights, estimated from all scenarios together. */
export interface Scatter {
  /** By how much the log odds of a scenario differ from night to night, as a variance. */
  readonly sameNight: number
  /** The part of it that is left once it is known how much more all others fail in that night. */
  readonly besides: number
  /** The part of it that neighbouring nights share: rates that drift. */
  readonly nextNight: number
  /** The expectation for a scenario with little history: failures among trials. */
  readonly prior: { readonly failed: number; readonly passed: number }
}

const priorTrials = 10
const mostRate = 0.98

/** By how much more all others fail in a night than usual. */
type Worse = (one: TableScenario) => number

// ten failures are added to both sides, as if that many were as usual: nights differ by about 30 % by themselves
const doubted = 10

/** One scenario counts for two failures at most. */
const worseIn = (rates: ReadonlyMap<TableScenario, Rate>, night: number): Worse => {
  const counts = new Map<TableScenario, { readonly now: number; readonly expected: number }>()
  let [now, expected] = [0, 0]
  for (const [one, { failed, scored }] of rates) {
    const trials = one.scored[night] ?? 0
    if (!(trials > 0)) continue
    const its = (trials * failed) / scored
    const own = { now: Math.min(one.failed[night] ?? 0, its + 2), expected: its }
    counts.set(one, own)
    now += own.now
    expected += own.expected
  }
  return (one) => {
    const own = counts.get(one) ?? { now: 0, expected: 0 }
    return (now - own.now + doubted) / (expected - own.expected + doubted)
  }
}

const knownOf = (scenarios: ReadonlyArray<TableScenario>): ReadonlyMap<TableScenario, Rate> =>
  new Map(scenarios.map((one) => [one, rateOf(one)] as const).filter(([, { nights }]) => nights >= least))

// A few flaky scenarios tell most of how nights differ, so the estimate itself varies, and one that is too great hides
// regressions. The expected variance weighs as much as a month of nine scenarios that fail a third of five trials.
const expected = { variance: 0.1, weight: 60 }

/** Estimates from all scenarios together how much failure rates vary beyond the variation of their trials. */
export const scatterOf = (scenarios: ReadonlyArray<TableScenario>): Scatter => {
  const rates = knownOf(scenarios)
  const nights = (scenarios[0]?.failed.length ?? 1) - 1
  const worse = Array.from({ length: nights }, (_, night) => worseIn(rates, night))
  let [own, ownOf, beside, besideOf, next, nextOf, failed, scored] = [0, 0, 0, 0, 0, 0, 0, 0]
  for (const [one, rate] of rates) {
    failed += rate.failed
    scored += rate.scored
    const share = rate.failed / rate.scored
    if (share === 0 || share === 1) continue
    let before: readonly [apart: number, trials: number] | undefined
    for (let index = 0; index < nights; index++) {
      const trials = one.scored[index] ?? 0
      if (one.isBaseline[index] !== true || !(trials > 0)) continue
      const failures = one.failed[index] ?? 0
      const apart = failures - trials * share
      const variance = share * (1 - share)
      // each scenario counts by its variance: a cause that some share once says little of those that seldom fail
      own += variance * (apart ** 2 - trials * variance)
      // log odds that vary move a rate near 0 or 1 less than one in the middle (delta method)
      ownOf += trials * (trials - 1) * variance ** 3
      const there = Math.min(mostRate, share * (worse[index]?.(one) ?? 1))
      beside += variance * ((failures - trials * there) ** 2 - trials * there * (1 - there))
      besideOf += variance * trials * (trials - 1) * (there * (1 - there)) ** 2
      if (before !== undefined) {
        next += variance * apart * before[0]
        nextOf += trials * before[1] * variance ** 3
      }
      before = [apart, trials]
    }
  }
  const bounded = (value: number, of: number, usual: number, most = 2) =>
    Math.max(0, Math.min(most, (value + expected.weight * usual) / (of + expected.weight)))
  const share = (failed + 0.5) / (scored + priorTrials)
  const sameNight = bounded(own, ownOf, expected.variance)
  return {
    sameNight,
    besides: bounded(beside, besideOf, expected.variance, sameNight),
    nextNight: bounded(next, nextOf, 0),
    prior: { failed: priorTrials * share, passed: priorTrials * (1 - share) }
  }
}

/**
 * The distribution of a scenario's failure rate in nights to come, as the two counts of a beta distribution; `apart` is by
 * how much log odds of these nights differ from others, as a variance.
 */
export const predicted = (rate: Rate, { nextNight, prior, sameNight }: Scatter, apart: number, worse: number) => {
  const failed = rate.failed + prior.failed
  const all = rate.scored + prior.failed + prior.passed
  const mean = Math.min(mostRate, (failed / all) * worse)
  // what is not known of the rate, what differs from night to night, what drifts: as one beta distribution
  const each = rate.nights === 0 ? 1 : rate.scored / rate.nights
  const variance = mean * (1 - mean)
  const unknown = (1 + (each - 1) * sameNight * variance) / (all + 1)
  const alike = Math.min(0.9, unknown + (apart + nextNight) * variance)
  const strength = 1 / alike - 1
  return { failed: mean * strength, passed: (1 - mean) * strength }
}

/** The last nights of a scenario beside those before. */
export interface Look {
  readonly window: number
  /** The first night of the window, among all nights. */
  readonly from: number
  readonly failed: number
  readonly scored: number
  readonly before: Rate
  /** The chances of this many failures or more, and of this few or fewer; 1 where tonight alone does not show it. */
  readonly worse: number
  readonly better: number
}

/** Every window beside the last thirty baseline nights before it; `factor` is by how much more all others fail tonight. */
export const looksAt = (one: TableScenario, scatter: Scatter, factor: number): ReadonlyArray<Look> => {
  const last = one.failed.length - 1
  const nights = Array.from(one.scored.keys()).filter((index) => (one.scored[index] ?? 0) > 0)
  if (nights.at(-1) !== last) return []
  const tonight = (one.failed[last] ?? 0) / (one.scored[last] ?? 1)
  return windows.flatMap((window): ReadonlyArray<Look> => {
    const now = nights.slice(-window)
    const from = now[0] ?? last
    const before = rateOf(one, last - from + 1)
    if (now.length < window || before.nights < least) return []
    const sum = (of: Float64Array) => now.reduce((total, index) => total + (of[index] ?? 0), 0)
    const [failed, scored] = [sum(one.failed), sum(one.scored)]
    const share = before.failed / before.scored
    const apart = window === 1 ? scatter.besides : scatter.sameNight / window
    const usual = predicted(before, scatter, apart, 1)
    const rate = window === 1 && factor > 1 ? predicted(before, scatter, apart, factor) : usual
    const isWorse = tonight > share && failed / scored > share
    const isBetter = tonight < share && failed / scored < share
    return [
      {
        window,
        from,
        failed,
        scored,
        before,
        worse: isWorse ? BetaBinomial.atLeast(failed, scored, rate.failed, rate.passed) : 1,
        // that others fail more makes none better
        better: isBetter ? BetaBinomial.atLeast(scored - failed, scored, usual.passed, usual.failed) : 1
      }
    ]
  })
}

/** The greatest pass rate with which `critical` or more of some trials fail in four of five cases. */
export const rateSeen = (critical: number, trials: number): number => 1 - Binomial.upper(critical - 1, trials, power)

/** By how much more the others fail tonight than before: nights are worse for all, sometimes. */
export const worseForOthers = (scenarios: ReadonlyArray<TableScenario>): Worse => {
  const worse = worseIn(knownOf(scenarios), (scenarios[0]?.failed.length ?? 0) - 1)
  return (one) => Math.max(1, worse(one))
}
