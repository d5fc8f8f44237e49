import { median } from "@webagent/statistics/Robust"
import { type Name, nameOf } from "./Asked.ts"
import * as Confirm from "./Confirm.ts"
import { doubts } from "./Doubts.ts"
import { tolerance } from "./Level.ts"
import type { Levels } from "./Levels.ts"
import { keyOf, type NightScenario } from "./Night.ts"
import { least, most } from "./Past.ts"
import type { Counted } from "./PassRates.ts"
import * as Shift from "./Shift.ts"

/** What confirm trials test, and what they said. */
type Test =
  | { readonly figure: "pass rate"; readonly of: Confirm.FailureTest }
  | { readonly figure: "duration"; readonly of: Confirm.DurationTest }

/** A scenario that failed or looked slow tonight: confirm trials tell whether that is by chance. */
export interface Suspect extends Name {
  readonly figure: Test["figure"]
  /** The chance of what was seen; the smallest first. */
  readonly chance: number
  /** What its confirm trials say: their durations are of those that passed. */
  readonly decide: (trials: {
    readonly passed: number
    readonly scored: number
    readonly middle_log?: number
  }) => Confirm.State
}

const decideBy =
  (test: Test): Suspect["decide"] =>
  ({ middle_log, passed, scored }) =>
    test.figure === "pass rate"
      ? Confirm.ofFailures(test.of, scored - passed, scored)
      : // trials that fail say nothing of durations
        scored > passed + 5
        ? "not confirmed"
        : Confirm.ofDurations(test.of, passed, middle_log ?? 0)

/** What confirm trials of a scenario said of a figure; undefined where it got none for it. */
export const saidBy = (suspects: ReadonlyArray<Suspect>, figure: Test["figure"]) => {
  const byKey = new Map(suspects.map((suspect) => [keyOf(suspect.suite, suspect.name), suspect]))
  return ({ confirm, name, suite }: NightScenario): Confirm.State | undefined => {
    const suspect = byKey.get(keyOf(suite, name))
    return confirm?.figure === figure && suspect?.figure === figure ? suspect.decide(confirm) : undefined
  }
}

// a scenario that fails as often as it does in half of its nights is no suspect
const mostChance = 0.5
// of all scenarios one in ten looks so slow by chance
const suspiciousShift = 1.3
/** Trials differ by this much from those of another night, at the least. */
const leastOfNight = 0.03

/** The scenarios that need confirm trials, the most suspicious first. */
export const suspectsOf = (counted: ReadonlyArray<Counted>, { scenarios: timed }: Levels): ReadonlyArray<Suspect> => {
  const failing = counted.flatMap(({ looks, of }) => {
    const [first] = looks
    return first === undefined || first.worse >= mostChance ? [] : [{ scenario: of.scenario, first }]
  })
  const failed = failing.map(({ first, scenario }): Suspect => {
    const of = Confirm.failureTest(first.rate, doubts.confirmPassRate / failing.length)
    return {
      ...nameOf(scenario),
      figure: "pass rate",
      chance: first.worse,
      decide: decideBy({ figure: "pass rate", of })
    }
  })
  const isFailing = new Set(failing.map(({ scenario }) => scenario))
  const known = timed.flatMap(({ nightLevel, of, weighed }) => {
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
  const slow = known.flatMap(({ deviation, nightLevel, nights, of, usual, weighed }): ReadonlyArray<Suspect> => {
    const shift = (weighed.values.values.at(-1) ?? 0) - usual
    if (isFailing.has(of.scenario) || shift < Math.max(Math.log1p(tolerance), suspiciousShift * weighed.weighing.scale))
      return []
    const test: Confirm.DurationTest = {
      usual: usual + nightLevel,
      deviation,
      variance: Math.max(leastOfNight ** 2, added) + (0.5 * deviation ** 2) / nights,
      tolerated: Math.log1p(2 * tolerance),
      level: doubts.confirmDuration / known.length / Confirm.looks.length
    }
    const chance = Math.min(1, Math.exp(-shift / weighed.weighing.scale))
    return [{ ...nameOf(of.scenario), figure: "duration", chance, decide: decideBy({ figure: "duration", of: test }) }]
  })
  return [...failed, ...slow].toSorted((one, other) => one.chance - other.chance)
}
