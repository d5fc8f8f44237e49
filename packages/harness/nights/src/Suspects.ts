import * as Robust from "@webagent/statistics/Robust"
import type { ScenarioName } from "@webagent/report/Comparison"
import { nameOf } from "./JudgedNight.ts"
import * as Confirm from "./Confirm.ts"
import { budget } from "./FalseAlarmBudget.ts"
import { tolerance } from "./Level.ts"
import type { Levels } from "./Levels.ts"
import { type ConfirmTrials, keyOf, type NightScenario } from "./Night.ts"
import { least } from "./Past.ts"
import { type Counted, isEnough } from "./PassRates.ts"
import * as Shift from "./Shift.ts"
import { isMeasured } from "./Weighed.ts"

type Tested = "pass rate" | "duration"
type Trials = Omit<ConfirmTrials, "figure">

/** The result of a suspect's confirm trials so far. */
export interface Weighed {
  readonly state: Confirm.State
  /** The evidence that it is worse, as a likelihood ratio: the suspect with the most gets the next trial. */
  readonly evidence: number
}

/** A scenario that failed or looked slow tonight: confirm trials tell whether that is by chance. */
export interface Suspect extends ScenarioName {
  /** The figure that is told, where no other is confirmed. */
  readonly figure: Tested
  /** Weighs its confirm trials, for all its suspicious figures. */
  readonly weigh: (trials: Trials) => Weighed
  /** Conclusion from the confirm trials for one figure after the last of them; undefined if it is not suspicious. */
  readonly said: (trials: Trials, figure: Tested) => Confirm.State | undefined
}

interface Doubted extends ScenarioName {
  readonly figure: Tested
  readonly evidence: (trials: Trials) => number
  readonly test: (trials: Trials) => Confirm.State
}

/** Conclusion from a scenario's confirm trials for a figure; undefined if it got none for it. */
export const saidBy = (suspects: ReadonlyArray<Suspect>, figure: Tested) => {
  const byKey = new Map(suspects.map((suspect) => [keyOf(suspect.suite, suspect.name), suspect]))
  return ({ confirm, name, suite }: NightScenario): Confirm.State | undefined =>
    confirm && byKey.get(keyOf(suite, name))?.said(confirm, figure)
}

// of all scenarios one in four looks so slow by chance
const suspiciousShift = 0.6
// one in two scenarios that look slow is more likely to be slower than not: the others are no suspects
const leastOfSlow = 1
// a trial says more of a failure than of a duration: suspects that failed come before
const slowWeight = 0.02
/** The variance of the median of some normal numbers, by that of one of them. */
const ofMedian = (count: number) => Math.PI / 2 / (Math.max(1, count) - 1 + Math.PI / 2)

/**
 * The least evidence with which a scenario that failed gets another confirm trial. It doubles with every ten: a scenario
 * that is worse gains more, and one that always fails now and then would take the trials of others.
 */
const leastEvidence = ({ scored }: Trials) => 0.15 * 2 ** (scored / 10)
/** The fewest confirm trials of a scenario that fails, because by then a disturbance of a part of the night is over. */
const leastOfFailing = 3
/** The most of a scenario that usually passes and never did tonight, to see it pass once. */
const mostToPass = 40
const noTrials: Trials = { passed: 0, scored: 0 }

const failingOf = (counted: ReadonlyArray<Counted>): ReadonlyArray<Doubted> => {
  // the tests of all scenarios share the budget and not only those of the suspects
  const level = budget.scenarioPassRate / counted.length
  return counted.flatMap(({ evidence, looks: [first], of }): ReadonlyArray<Doubted> => {
    if (first === undefined) return []
    const evidenceAfter = (trials: Trials) => evidence({ failed: trials.scored - trials.passed, scored: trials.scored })
    // a scenario that never passes fails the night: one that usually does gets trials until one of them has passed
    const neverPassed = first.failed === first.scored && first.before.failed < first.before.scored
    const isDecisive = ({ passed, scored }: Trials) => neverPassed && passed === 0 && scored < mostToPass
    const test = (trials: Trials): Confirm.State => {
      const its = evidenceAfter(trials)
      if (isEnough(its, level)) return trials.scored < leastOfFailing ? "more" : "confirmed"
      return isDecisive(trials) || its.ratio >= leastEvidence(trials) ? "more" : "not confirmed"
    }
    if (test(noTrials) !== "more") return []
    return [
      {
        ...nameOf(of.scenario),
        figure: "pass rate",
        evidence: (trials) => (isDecisive(trials) ? Infinity : evidenceAfter(trials).ratio),
        test
      }
    ]
  })
}

const slowOf = ({ scenarios }: Levels): ReadonlyArray<Doubted> => {
  const deviationsOf = scenarios.flatMap(({ nightLevel, of, weighed }) => {
    if (weighed === undefined) return []
    const deviations = Array.from(of.deviation).filter((value, index) => of.isBaseline[index] === true && value > 0)
    const usualOnes = Shift.baselineOf(weighed.values)
    // half of the deviations of five trials lie around a little less than that of all
    const own = deviations.length < least ? weighed.weighing.scale * 2 : Robust.middleMean(deviations) / 0.92
    const variance = Robust.deviation(usualOnes) ** 2
    return [
      {
        of,
        weighed,
        nightLevel,
        deviation: own,
        variance,
        usual: Robust.middleMean(usualOnes),
        nights: usualOnes.length
      }
    ]
  })
  const noiseOf = ({ deviation, of }: (typeof deviationsOf)[number]) =>
    ofMedian(of.scenario.durations?.count ?? 1) * deviation ** 2
  // what a night adds to a scenario beyond what its trials scatter, by all scenarios together: steady ones know it best.
  // Values are distances from the others, so it holds what is not known of their level, too: once, because no scenario is
  // among its own others
  let [beyond, weights, doubts] = [0, 0, 0]
  for (const one of deviationsOf) {
    const noise = noiseOf(one)
    const weight = noise === 0 ? 0 : 1 / noise ** 2
    beyond += weight * (one.variance - noise)
    weights += weight
    doubts += weight ** 2 / (one.nights - 1)
  }
  const added = weights === 0 ? 0 : Math.max(0, beyond / weights)
  const slow = deviationsOf.filter(
    ({ usual, weighed: { measured, values, weighing } }) =>
      (values.values.at(-1) ?? 0) - usual > Math.max(Math.log1p(tolerance), suspiciousShift * weighing.scale) &&
      isMeasured(measured(undefined), 1)
  )
  // planned trials count, so the tests of all scenarios share the budget and not only those of the suspects
  const level = budget.confirmDuration / deviationsOf.length
  return slow.flatMap((one): ReadonlyArray<Doubted> => {
    const { deviation, nightLevel, nights, of, usual, variance, weighed } = one
    const shift = (weighed.values.values.at(-1) ?? 0) - usual
    const test: Confirm.DurationTest = {
      usual: usual + nightLevel,
      deviation,
      planned: { shift, variance: noiseOf(one) },
      shared: added + weighed.doubt ** 2 + (Confirm.inefficiency * variance) / nights,
      tolerated: Math.log1p(tolerance),
      level,
      freedom: weights === 0 ? nights - 1 : weights ** 2 / doubts
    }
    const planned = Confirm.ratioOf(test, 0, undefined)
    if (planned < leastOfSlow) return []
    // a duration needs ten trials and more: those that look slowest are decided one after the other
    const evidence = () => slowWeight * planned
    return [
      {
        ...nameOf(of.scenario),
        figure: "duration",
        evidence,
        test: ({ middle_log, passed, scored }) => {
          // trials that fail say nothing of durations
          if (scored > 2 * passed + 5) return "not confirmed"
          if (middle_log === undefined) return "more"
          return Confirm.ofDurations(test, passed, middle_log)
        }
      }
    ]
  })
}

/** The scenarios that need confirm trials, those with the most evidence first. Trials of one serve the tests of both figures. */
export const suspectsOf = (counted: ReadonlyArray<Counted>, durations: Levels): ReadonlyArray<Suspect> => {
  const all = [...failingOf(counted), ...slowOf(durations)]
  const suspects = [...Map.groupBy(all, ({ name, suite }) => keyOf(suite, name)).values()].flatMap(
    (doubted): ReadonlyArray<Suspect> => {
      const [first] = doubted.toSorted((one, other) => other.evidence(noTrials) - one.evidence(noTrials))
      if (first === undefined) return []
      const { figure, name, suite } = first
      return [
        {
          suite,
          name,
          figure,
          weigh: (trials) => {
            const states = doubted.map(({ test }) => test(trials))
            return {
              state: (["confirmed", "more"] as const).find((state) => states.includes(state)) ?? "not confirmed",
              evidence: Math.max(...doubted.map(({ evidence }) => evidence(trials)))
            }
          },
          said: (trials, of) => {
            const one = doubted.find(({ figure }) => figure === of)
            const state = one?.test(trials)
            // trials that were too few to decide, and look more as usual than the planned ones
            const isWeaker = one !== undefined && one.evidence(trials) < one.evidence(noTrials)
            return state === "more" && trials.scored > 0 && isWeaker ? "not confirmed" : state
          }
        }
      ]
    }
  )
  return suspects.toSorted((one, other) => other.weigh(noTrials).evidence - one.weigh(noTrials).evidence)
}

/** The suspect that gets the next confirm trial: the one with the most evidence of those that are undecided. */
export const nextOf = <A extends { readonly weighed: Weighed }>(all: Iterable<A>): A | undefined => {
  let next: A | undefined
  for (const one of all) {
    const { evidence, state } = one.weighed
    if (state === "more" && evidence > (next?.weighed.evidence ?? -1)) next = one
  }
  return next
}

/** At most this many confirm trials at a time: each decides which one is the best next. */
export const mostAtOnce = 4
