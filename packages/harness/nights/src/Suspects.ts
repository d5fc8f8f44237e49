import * as Robust from "@webagent/statistics/Robust"
import type { ScenarioName } from "@webagent/report/Comparison"
import { nameOf } from "./JudgedNight.ts"
import * as Confirm from "./Confirm.ts"
import { budget } from "./FalseAlarmBudget.ts"
import { tolerance } from "./Level.ts"
import type { Levels } from "./Levels.ts"
import { type ConfirmTrials, keyOf, type Night, type NightScenario } from "./Night.ts"
import { least, scenariosOf } from "./Past.ts"
import { type Counted, isEnough } from "./PassRates.ts"
import * as Shift from "./Shift.ts"
import type { TableScenario } from "./Table.ts"
import { isMeasured, shiftOf } from "./Weighed.ts"

type Tested = "pass rate" | "duration"
type Trials = Omit<ConfirmTrials, "figure">

/** The result of a suspect's extra trials so far. */
export interface Weighed {
  readonly state: Confirm.State
  /** The evidence that it is worse, as a likelihood ratio; negative if more trials would say nothing. */
  readonly evidence: number
  /** The evidence that it fails more often; undefined if that is decided, or was never in doubt. */
  readonly failing: number | undefined
}

/** A scenario that failed or looked slow tonight: extra trials tell whether that is by chance. */
export interface Suspect extends ScenarioName {
  /** The figure that is told, where no other is confirmed. */
  readonly figure: Tested
  /** Weighs its extra trials, for all its suspicious figures. Those that are still running, `running` of them, count as passed. */
  readonly weigh: (trials: Trials, running?: number) => Weighed
  /** Conclusion from the extra trials for one figure after the last of them; undefined if it is not suspicious. */
  readonly said: (trials: Trials, figure: Tested) => Confirm.State | undefined
}

interface Doubted extends ScenarioName {
  readonly figure: Tested
  /** Negative if more trials would say nothing. */
  readonly evidence: (trials: Trials) => number
  readonly test: (trials: Trials) => Confirm.State
}

/** Conclusion from a scenario's extra trials for a figure; undefined if it got none for it. */
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
 * The least evidence with which a scenario that failed gets another extra trial. It doubles with every ten: a scenario
 * that is worse gains more, and one that always fails now and then would take the trials of others.
 */
const leastEvidence = ({ scored }: Trials) => 0.15 * 2 ** (scored / 10)
/** The fewest extra trials of a scenario that fails, because by then a disturbance of a part of the night is over. */
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

/** Trials that fail say nothing of durations: if most do, more of them don't decide one. */
const mostlyFail = ({ passed, scored }: Trials) => scored > 2 * passed + 5

/** True if a scenario was reported as slower last night, and extra trials agreed since it first was. */
const isKnownAsSlow = ({ scenario }: TableScenario, nights: ReadonlyArray<Night>): boolean => {
  const key = keyOf(scenario.suite, scenario.name)
  for (const night of nights.slice(0, -1).toReversed()) {
    const isReported = night.regressed?.some(
      ({ figure, scenario: of }) => figure === "duration" && of !== null && keyOf(of.suite, of.name) === key
    )
    if (isReported !== true) return false
    if ((scenariosOf(night).get(key)?.confirm?.passed ?? 0) >= Confirm.trialsOfShown) return true
  }
  return false
}

const slowOf = ({ scenarios }: Levels, nightsOf: ReadonlyArray<Night>): ReadonlyArray<Doubted> => {
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
  // planned trials count, so the tests of all scenarios share the budget and not only those of the suspects
  const level = budget.confirmDuration / deviationsOf.length
  const tolerated = Math.log1p(tolerance)
  return deviationsOf.flatMap((one): ReadonlyArray<Doubted> => {
    const { deviation, nightLevel, nights, of, usual, variance, weighed } = one
    const doubted = (evidence: number, test: (trials: number, middle_log: number) => Confirm.State): Doubted => ({
      ...nameOf(of.scenario),
      figure: "duration",
      evidence: (trials) => (mostlyFail(trials) ? -1 : evidence),
      test: (trials) =>
        trials.middle_log === undefined || mostlyFail(trials) ? "more" : test(trials.passed, trials.middle_log)
    })
    const { found, verdict } = shiftOf(weighed) ?? {}
    if (found !== undefined && verdict === "regressed") {
      if (isKnownAsSlow(of, nightsOf)) return []
      const shown = { usual: found.level + nightLevel, shift: found.shift, tolerated }
      // such scenarios are few: each is decided before those that may only look worse
      return [doubted(1 / level, (trials, middle_log) => Confirm.ofShown(shown, trials, middle_log))]
    }
    const shift = (weighed.values.values.at(-1) ?? 0) - usual
    const isSlow =
      shift > Math.max(tolerated, suspiciousShift * weighed.weighing.scale) &&
      isMeasured(weighed.measured(undefined), 1)
    if (!isSlow) return []
    const test: Confirm.DurationTest = {
      usual: usual + nightLevel,
      deviation,
      planned: { shift, variance: noiseOf(one) },
      shared: added + weighed.doubt ** 2 + (Confirm.inefficiency * variance) / nights,
      tolerated,
      level,
      freedom: weights === 0 ? nights - 1 : weights ** 2 / doubts
    }
    const planned = Confirm.ratioOf(test, 0, undefined)
    if (planned < leastOfSlow) return []
    // a duration needs ten trials and more: those that look slowest are decided one after the other
    return [doubted(slowWeight * planned, (trials, middle_log) => Confirm.ofDurations(test, trials, middle_log))]
  })
}

/** The scenarios that need extra trials, those with the most evidence first. Trials of one serve the tests of both figures. */
export const suspectsOf = (
  counted: ReadonlyArray<Counted>,
  durations: Levels,
  nights: ReadonlyArray<Night>
): ReadonlyArray<Suspect> => {
  const all = [...failingOf(counted), ...slowOf(durations, nights)]
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
          weigh: (finished, running = 0) => {
            const trials = { ...finished, passed: finished.passed + running, scored: finished.scored + running }
            const tested = doubted.map(({ evidence, figure, test }) => ({
              figure,
              state: test(trials),
              evidence: evidence(trials)
            }))
            const undecided = tested.filter(({ state }) => state === "more")
            return {
              state: tested.find(({ state }) => state === "confirmed")?.state ?? undecided[0]?.state ?? "not confirmed",
              evidence: Math.max(-1, ...undecided.map(({ evidence }) => evidence)),
              failing: undecided.find(({ figure }) => figure === "pass rate")?.evidence
            }
          },
          said: (trials, of) => {
            const one = doubted.find(({ figure }) => figure === of)
            const state = one?.test(trials)
            // trials that were too few to decide, and look more as usual than the planned ones
            const isWeaker = one?.figure === "pass rate" && one.evidence(trials) < one.evidence(noTrials)
            return state === "more" && trials.scored > 0 && isWeaker ? "not confirmed" : state
          }
        }
      ]
    }
  )
  return suspects.toSorted((one, other) => other.weigh(noTrials).evidence - one.weigh(noTrials).evidence)
}

/**
 * The suspect that gets the next extra trial, after `started` of them: the one with the most evidence of those that are
 * undecided. Every other trial is for one that failed, so that scenarios which look slow can't take them all. If the running
 * trials are weighed as passed, a scenario gets several at a time only if it stays the most suspicious one whatever they say.
 */
export const nextOf = <A extends { readonly weighed: Weighed }>(all: Iterable<A>, started: number): A | undefined => {
  const open = Array.from(all).filter(({ weighed }) => weighed.state === "more" && weighed.evidence >= 0)
  const failing = started % 2 === 0 ? open.filter(({ weighed }) => weighed.failing !== undefined) : []
  const evidenceOf = ({ weighed }: A) => (failing.length > 0 ? weighed.failing : weighed.evidence) ?? -1
  return (failing.length > 0 ? failing : open).reduce<A | undefined>(
    (most, one) => (most === undefined || evidenceOf(one) > evidenceOf(most) ? one : most),
    undefined
  )
}

/** At most this many extra trials at a time: each decides which one is the best next. */
export const mostAtOnce = 4
