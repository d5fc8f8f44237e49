import * as Robust from "@webagent/statistics/Robust"
import * as StudentT from "@webagent/statistics/StudentT"
import type { ScenarioName } from "@webagent/report/Comparison"
import { nameOf } from "./JudgedNight.ts"
import * as Confirm from "./Confirm.ts"
import { budget } from "./FalseAlarmBudget.ts"
import { tolerance } from "./Level.ts"
import type { Levels } from "./Levels.ts"
import { type ConfirmTrials, keyOf, type NightScenario } from "./Night.ts"
import { least } from "./Past.ts"
import type { Counted } from "./PassRates.ts"
import * as Shift from "./Shift.ts"
import { isMeasured } from "./Weighed.ts"

type Tested = "pass rate" | "duration"
type Trials = Omit<ConfirmTrials, "figure">

/** A scenario that failed or looked slow tonight: confirm trials tell whether that is by chance. */
export interface Suspect extends ScenarioName {
  /** The figure that is told, where no other is confirmed. */
  readonly figure: Tested
  /** The chance of what was seen. */
  readonly chance: number
  /** Decides from its confirm trials, for all its suspicious figures. */
  readonly decide: (trials: Trials) => Confirm.State
  /** Conclusion from the confirm trials for one figure after the last of them; undefined if it is not suspicious. */
  readonly said: (trials: Trials, figure: Tested) => Confirm.State | undefined
}

interface Doubted extends ScenarioName {
  readonly figure: Tested
  readonly chance: number
  readonly test: (trials: Trials, isLast: boolean) => Confirm.State
}

/** Conclusion from a scenario's confirm trials for a figure; undefined if it got none for it. */
export const saidBy = (suspects: ReadonlyArray<Suspect>, figure: Tested) => {
  const byKey = new Map(suspects.map((suspect) => [keyOf(suspect.suite, suspect.name), suspect]))
  return ({ confirm, name, suite }: NightScenario): Confirm.State | undefined =>
    confirm && byKey.get(keyOf(suite, name))?.said(confirm, figure)
}

// a scenario that fails as often as it does in half of its nights is no suspect
const mostChance = 0.5
// of all scenarios one in four looks so slow by chance
const suspiciousShift = 0.6
/** The variance of the median of some normal numbers, by that of one of them. */
const ofMedian = (count: number) => Math.PI / 2 / (Math.max(1, count) - 1 + Math.PI / 2)

const failingOf = (counted: ReadonlyArray<Counted>): ReadonlyArray<Doubted> => {
  const failing = counted.flatMap(({ looks: [first], of }) =>
    first === undefined || first.worse >= mostChance ? [] : [{ first, of }]
  )
  // planned trials count, so the tests of all scenarios share the budget and not only those of the suspects
  const level = budget.confirmPassRate / counted.length
  return failing.map(({ first, of }) => ({
    ...nameOf(of.scenario),
    figure: "pass rate",
    chance: first.worse,
    test: ({ passed, scored }, isLast) => {
      const trials = first.scored + scored
      // more trials than planned came for its duration: they are looked at once
      const most = first.scored + (isLast ? Math.max(scored, Confirm.mostOfFailing) : Confirm.mostOfFailing)
      const test = Confirm.failureTest(first.rate, level, most)
      if (scored === 0) return "more"
      return trials > most ? "not confirmed" : Confirm.ofFailures(test, first.failed + scored - passed, trials)
    }
  }))
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
  return slow.map((one): Doubted => {
    const { deviation, nightLevel, nights, of, usual, variance, weighed } = one
    const { freedom, scale } = weighed.weighing
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
    return {
      ...nameOf(of.scenario),
      figure: "duration",
      chance: StudentT.above(shift / scale, freedom),
      test: ({ middle_log, passed, scored }) => {
        // trials that fail say nothing of durations
        if (scored > 2 * passed + 5) return "not confirmed"
        return middle_log === undefined ? "more" : Confirm.ofDurations(test, passed, middle_log)
      }
    }
  })
}

/** The scenarios that need confirm trials, the most suspicious first. Trials of one serve the tests of both figures. */
export const suspectsOf = (counted: ReadonlyArray<Counted>, durations: Levels): ReadonlyArray<Suspect> => {
  const all = [...failingOf(counted), ...slowOf(durations)].toSorted((one, other) => one.chance - other.chance)
  return [...Map.groupBy(all, ({ name, suite }) => keyOf(suite, name)).values()].flatMap((doubted) => {
    const [first] = doubted
    if (first === undefined) return []
    const tests = new Map(doubted.map(({ figure, test }) => [figure, test]))
    const { chance, figure, name, suite } = first
    const decide = (trials: Trials) => {
      const states = [...tests.values()].map((test) => test(trials, false))
      return (["confirmed", "more"] as const).find((state) => states.includes(state)) ?? "not confirmed"
    }
    return [{ suite, name, figure, chance, decide, said: (trials, of) => tests.get(of)?.(trials, true) }]
  })
}
