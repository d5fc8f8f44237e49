import { median } from "@webagent/statistics/Robust"
import * as StudentT from "@webagent/statistics/StudentT"
import { type Name, nameOf } from "./JudgedNight.ts"
import * as Confirm from "./Confirm.ts"
import { budget } from "./FalseAlarmBudget.ts"
import { tolerance } from "./Level.ts"
import type { Levels } from "./Levels.ts"
import { type ConfirmTrials, keyOf, type NightScenario } from "./Night.ts"
import { least, most } from "./Past.ts"
import type { Counted } from "./PassRates.ts"
import * as Shift from "./Shift.ts"

type Tested = "pass rate" | "duration"
type Trials = Omit<ConfirmTrials, "figure">

/** A scenario that failed or looked slow tonight: confirm trials tell whether that is by chance. */
export interface Suspect extends Name {
  /** The figure that is told, where no other is confirmed. */
  readonly figure: Tested
  /** The chance of what was seen. */
  readonly chance: number
  /** What its confirm trials say, of all its suspicious figures. */
  readonly decide: (trials: Trials) => Confirm.State
  /** What they say of one figure once no more come; undefined where it is not suspicious. */
  readonly said: (trials: Trials, figure: Tested) => Confirm.State | undefined
}

interface Doubted extends Name {
  readonly figure: Tested
  readonly chance: number
  /** The test, as strict as the number of tests of its figure asks for. */
  readonly test: (level: number) => (trials: Trials, isLast: boolean) => Confirm.State
}

/** What confirm trials of a scenario said of a figure; undefined where it got none for it. */
export const saidBy = (suspects: ReadonlyArray<Suspect>, figure: Tested) => {
  const byKey = new Map(suspects.map((suspect) => [keyOf(suspect.suite, suspect.name), suspect]))
  return ({ confirm, name, suite }: NightScenario): Confirm.State | undefined =>
    confirm && byKey.get(keyOf(suite, name))?.said(confirm, figure)
}

// a scenario that fails as often as it does in half of its nights is no suspect
const mostChance = 0.5
// of all scenarios one in eight looks so slow by chance
const suspiciousShift = 1.2
/** Trials differ by this much from those of another night, at the least. */
const leastOfNight = 0.03
// the variance of a median of normal numbers, by that of their mean
const ofMedian = Math.PI / 2

const failingOf = (counted: ReadonlyArray<Counted>): ReadonlyArray<Doubted> =>
  counted.flatMap(({ looks: [first], of }) =>
    first === undefined || first.worse >= mostChance
      ? []
      : [
          {
            ...nameOf(of.scenario),
            figure: "pass rate",
            chance: first.worse,
            test: (level) => {
              const test = Confirm.failureTest(first.rate, level)
              return ({ passed, scored }, isLast) => {
                // more trials than planned came for its duration: they are looked at once
                const of = isLast && scored > test.most ? Confirm.failureTest(first.rate, level, scored) : test
                return scored > of.most ? "not confirmed" : Confirm.ofFailures(of, scored - passed, scored)
              }
            }
          }
        ]
  )

const slowOf = ({ scenarios }: Levels): ReadonlyArray<Doubted> => {
  const known = scenarios.flatMap(({ nightLevel, of, weighed }) => {
    if (weighed === undefined) return []
    const deviations = Array.from(of.deviation).filter((value, index) => of.isBaseline[index] === true && value > 0)
    const usualOnes = Shift.baselineOf(weighed.values, most)
    // the median of the deviations of five trials is a little less than that of all
    const own = deviations.length < least ? weighed.weighing.scale * 2 : median(deviations.slice(-most)) / 0.917
    return [{ of, weighed, nightLevel, deviation: own, usual: median(usualOnes), nights: usualOnes.length }]
  })
  // what a night adds to a scenario beyond what its trials scatter, by all scenarios together
  const added = known.reduce((sum, { deviation, weighed: { weighing } }) => {
    const farthest = weighing.between.at(-1) ?? 1
    return sum + (weighing.scale ** 2 * farthest - 0.3 * deviation ** 2) / known.length
  }, 0)
  return known.flatMap(({ deviation, nightLevel, nights, of, usual, weighed }): ReadonlyArray<Doubted> => {
    const { freedom, scale } = weighed.weighing
    const shift = (weighed.values.values.at(-1) ?? 0) - usual
    if (shift < Math.max(Math.log1p(tolerance), suspiciousShift * scale)) return []
    // confirm trials share with the planned ones what the night adds, and what is not known of the usual level: as much
    // of it as the planned trials let expect is no evidence; more than three deviations of it hardly ever are
    const shared = Math.max(leastOfNight ** 2, added) + (0.5 * deviation ** 2) / nights
    const noise = (ofMedian * deviation ** 2) / Math.max(1, of.scenario.durations?.count ?? 1)
    const share = shared / (shared + noise)
    const expected = Math.min(share * shift, 3 * Math.sqrt(shared))
    return [
      {
        ...nameOf(of.scenario),
        figure: "duration",
        chance: StudentT.above(shift / scale, freedom),
        test: (level) => {
          const test: Confirm.DurationTest = {
            usual: usual + nightLevel + expected,
            deviation,
            variance: share * noise,
            tolerated: Math.log1p(2 * tolerance),
            // each look, and where other reasons end the trials
            level: level / (Confirm.looks.length + 1)
          }
          return ({ middle_log, passed, scored }, isLast) =>
            // trials that fail say nothing of durations
            scored > 2 * passed + 5 ? "not confirmed" : Confirm.ofDurations(test, passed, middle_log ?? 0, isLast)
        }
      }
    ]
  })
}

/**
 * The scenarios that need confirm trials: those that failed, then those that look slow, the most suspicious first. Trials
 * of one serve the tests of both figures.
 */
export const suspectsOf = (counted: ReadonlyArray<Counted>, durations: Levels): ReadonlyArray<Suspect> => {
  const [failing, slow] = [failingOf(counted), slowOf(durations)]
  const levels = {
    "pass rate": budget.confirmPassRate / Math.max(1, failing.length),
    duration: budget.confirmDuration / Math.max(1, slow.length)
  }
  // failures are decided by fewer trials
  const all = [failing, slow].flatMap((some) => some.toSorted((one, other) => one.chance - other.chance))
  return [...Map.groupBy(all, ({ name, suite }) => keyOf(suite, name)).values()].flatMap((doubted) => {
    const [first] = doubted
    if (first === undefined) return []
    const tests = new Map(doubted.map(({ figure, test }) => [figure, test(levels[figure])]))
    const { chance, figure, name, suite } = first
    const decide = (trials: Trials) => {
      const states = [...tests.values()].map((test) => test(trials, false))
      return (["confirmed", "more"] as const).find((state) => states.includes(state)) ?? "not confirmed"
    }
    return [{ suite, name, figure, chance, decide, said: (trials, of) => tests.get(of)?.(trials, true) }]
  })
}
