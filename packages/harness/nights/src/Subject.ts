import type { Figure } from "@webagent/report/NightJudgement"
import { keyOf, type Night, type NightScenario } from "./Night.ts"
import { type Of, type Past, scenariosOf, standing, type Standing } from "./Past.ts"
import type { Point } from "./Windows.ts"

/** A scenario of a night before. */
export interface Earlier {
  readonly night: Night
  readonly its: NightScenario
}

/** A night to judge, and what it is judged by. */
export interface Subject {
  readonly tonight: Night
  /** The nights before that may be a measure, oldest first. */
  readonly nights: ReadonlyArray<Night>
  /** Each scenario of tonight with what it was in these nights, as it is written tonight. */
  readonly scenarios: ReadonlyArray<{ readonly scenario: NightScenario; readonly earlier: ReadonlyArray<Earlier> }>
  readonly standing: (figure: Figure, of: Of) => Standing
}

/** A night beside some nights before. */
export const make = (past: Past, nights: ReadonlyArray<Night>, tonight: Night): Subject => ({
  tonight,
  nights,
  scenarios: tonight.scenarios.map((scenario) => {
    const key = keyOf(scenario.suite, scenario.name)
    const earlier = nights.flatMap((night): ReadonlyArray<Earlier> => {
      const its = scenariosOf(night).get(key)
      return its === undefined || its.source !== scenario.source ? [] : [{ night, its }]
    })
    return { scenario, earlier }
  }),
  // what got worse elsewhere, and who accepted it, is no affair of this target
  standing: standing({
    ...past,
    nights: past.nights.filter(({ fingerprint }) => fingerprint.target === tonight.fingerprint.target)
  })
})

/** The same without some of the nights. */
export const only = (subject: Subject, keep: (night: Night) => boolean): Subject => ({
  ...subject,
  nights: subject.nights.filter(keep),
  scenarios: subject.scenarios.map(({ earlier, scenario }) => ({
    scenario,
    earlier: earlier.filter(({ night }) => keep(night))
  }))
})

/** The same without some of its scenarios, by `keyOf`. */
export const without = (subject: Subject, keys: ReadonlySet<string>): Subject => {
  if (keys.size === 0) return subject
  const isKept = ({ name, suite }: NightScenario) => !keys.has(keyOf(suite, name))
  return {
    ...subject,
    tonight: { ...subject.tonight, scenarios: subject.tonight.scenarios.filter(isKept) },
    scenarios: subject.scenarios.filter(({ scenario }) => isKept(scenario))
  }
}

/** What nights say of a figure, oldest first; what is undefined, or was before something was accepted, is left out. */
export const points = <A, B>(
  standing: Standing,
  nights: ReadonlyArray<A>,
  startedAt: (of: A) => string,
  value: (of: A) => B | undefined
): ReadonlyArray<Point<B>> =>
  nights.flatMap((night) => {
    const at = startedAt(night)
    const its = value(night)
    return its === undefined || standing.isOver(at)
      ? []
      : [{ startedAt: at, value: its, isMeasure: standing.isMeasure(at) }]
  })
