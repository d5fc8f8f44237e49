import type { Figure, JudgedRow } from "@webagent/report/NightJudgement"
import * as FamilyWise from "@webagent/statistics/FamilyWise"
import * as Interval from "@webagent/statistics/Interval"
import { deviation, mean } from "@webagent/statistics/Quantile"
import type { Night, NightScenario } from "./Night.ts"
import { least } from "./Past.ts"
import * as Subject from "./Subject.ts"
import * as Windows from "./Windows.ts"
import * as Words from "./Words.ts"

/** A figure that is measured and not counted: the nights are its sample, never the requests or trials of one. */
export interface Level {
  readonly figure: Figure
  /** The natural logarithm of what one trial of a scenario has, where it has any. */
  readonly of: (scenario: NightScenario) => number | undefined
  /** The same of a scenario by itself, such as one that a single trial cannot move. */
  readonly ofOne: (scenario: NightScenario) => number | undefined
  /** What is more is worse. */
  readonly words: readonly [more: string, less: string]
  readonly format: (value: number) => string
}

/** Smaller changes of a level are nobody's business, however sure they are. */
export const tolerance = 0.05
const tolerated = Math.log1p(tolerance)

interface Side {
  readonly verdict: "regressed" | "improved"
  /** What is worse is greater by this sign. */
  readonly sign: 1 | -1
}
const sides: ReadonlyArray<Side> = [
  { verdict: "regressed", sign: 1 },
  { verdict: "improved", sign: -1 }
]

/** A window of numbers, one for each night. */
type Numbers = Windows.Window<number>

/** The chance of a mean that is so much more, or less; 1 where it is tolerated, or is not so in every night of the window. */
const chanceOf = ({ before, now, size }: Numbers, sign: 1 | -1): number => {
  const middle = mean(before)
  // one night that is very slow must not speak for three
  if (now.some((value) => sign * (value - middle) <= tolerated)) return 1
  return Interval.chanceOfMean(
    before.map((value) => sign * value),
    size,
    sign * mean(now)
  )
}

/** What each scenario of tonight has of a level, and had in the nights before. */
const valuesOf = (level: Level, { scenarios, standing, tonight }: Subject.Subject) =>
  scenarios.map(({ earlier, scenario }) => {
    const of = standing(level.figure, scenario)
    const values = earlier.flatMap(({ its, night }) => {
      const value = level.of(its)
      const isMeasure = of.isMeasure(night.startedAt) && !of.isOver(night.startedAt)
      return value === undefined ? [] : [{ night, value, isMeasure }]
    })
    const own = level.of(scenario)
    return own === undefined ? values : [...values, { night: tonight, value: own, isMeasure: false }]
  })

const wholeWindow = (scenarios: ReturnType<typeof valuesOf>, window: Windows.Window<Night>): Numbers | undefined => {
  const apart = new Map<Night, Array<number>>()
  const [isBefore, isNow] = [new Set(window.before), new Set(window.now)]
  for (const values of scenarios) {
    const past = values.filter(({ isMeasure, night }) => isMeasure && isBefore.has(night))
    const recent = values.filter(({ night }) => isNow.has(night))
    if (past.length < least || recent.length === 0) continue
    const middle = mean(past.map(({ value }) => value))
    for (const { night, value } of [...past, ...recent]) {
      const known = apart.get(night)
      if (known === undefined) apart.set(night, [value - middle])
      else known.push(value - middle)
    }
  }
  const indices = (nights: ReadonlyArray<Night>) =>
    nights.flatMap((night) => {
      const values = apart.get(night)
      return values === undefined ? [] : [mean(values)]
    })
  const [before, now] = [indices(window.before), indices(window.now)]
  return before.length < least || now.length < window.now.length ? undefined : { ...window, before, now }
}

/** What of a figure's windows says most, of one side. */
const best = (windows: ReadonlyArray<Numbers>, sign: 1 | -1) =>
  windows
    .map((window) => ({ window, chance: chanceOf(window, sign) }))
    .reduce<{ readonly window: Numbers | undefined; readonly chance: number }>(
      (least, one) => (one.chance < least.chance ? one : least),
      { window: undefined, chance: 1 }
    )

// all of three nights are beyond the greatest in four of five cases when each is in 13 of 14
const nearlyAll = 1.47

/** By how much more than what is tolerated a change has to be, so that every night of a window is above that in four of five cases. */
const clearly = (before: ReadonlyArray<number>, size: number): number =>
  size === 1 ? Interval.beyond(before) : nearlyAll * deviation(before)

const detectableOf = (
  windows: ReadonlyArray<Numbers>,
  doubt: number,
  [more]: Level["words"],
  atLeast: (before: ReadonlyArray<number>) => number
): string | null => {
  const reaches = windows.map(({ before, size }) => {
    const { detectable } = Interval.ofNextMean(before, size, doubt / windows.length)
    return { size, reach: Math.max(detectable, tolerated + clearly(before, size), atLeast(before)) }
  })
  const [first, last] = [reaches[0], reaches.at(-1)]
  if (first === undefined || last === undefined || !Number.isFinite(first.reach)) return null
  const said = ({ reach, size }: typeof first) =>
    `${Words.change(Math.exp(reach), [more, more])}${size === 1 ? "" : ` through ${Words.nights(size)}`}`
  return last.reach < first.reach ? `${said(first)} or ${said(last)}` : said(first)
}

/** By how much more the nights of a window have to be, to be beyond all before in four of five cases. */
const beyondAll = (before: ReadonlyArray<number>) => Math.max(...before) - mean(before) + nearlyAll * deviation(before)

// a night of five trials says too little of one scenario, and one bad trial too much
const scenarioSizes = [3] as const

// three nights that are beyond those before need two more
const needed = (scenario: NightScenario | null) => least + (scenario === null ? 0 : scenarioSizes[0] - 1)

const tooFew = (points: number, scenario: NightScenario | null): string =>
  points < needed(scenario)
    ? `${Words.nights(points)} before that can be compared with, and ${needed(scenario)} are needed`
    : `of ${Words.nights(points)} before too few are a measure: in the others it was worse`

const notEnough = (
  level: Level,
  points: number,
  { tonight }: Subject.Subject,
  scenario: NightScenario | null
): JudgedRow => ({
  figure: level.figure,
  scenario: scenario === null ? null : { suite: scenario.suite, name: scenario.name },
  verdict: "not enough data",
  now: "",
  before: "",
  window: 1,
  since: tonight.startedAt,
  nights: points,
  detectable: null,
  evidence:
    scenario === null && !tonight.scenarios.some((one) => level.of(one) !== undefined)
      ? `no scenario has any ${level.figure}`
      : tooFew(points, scenario)
})

const rowOf = (
  level: Level,
  scenario: NightScenario | null,
  windows: ReadonlyArray<Numbers>,
  first: Numbers,
  found: { readonly verdict: JudgedRow["verdict"]; readonly window: Numbers; readonly chance: number },
  doubt: number
): JudgedRow => {
  const { before, now, since, size } = found.window
  const interval = Interval.ofNextMean(first.before, 1, 0.025)
  const detectable = detectableOf(windows, doubt, level.words, scenario === null ? () => 0 : beyondAll)
  const ratio = Math.exp(mean(now) - mean(before))
  const shown =
    scenario === null
      ? {
          now: Words.change(ratio, level.words),
          before: `nights vary by ${Words.percent(Math.exp((interval.high - interval.low) / 2 / 2) - 1)}`
        }
      : {
          now: level.format(Math.exp(mean(now))),
          before: `${level.format(Math.exp(interval.low))} .. ${level.format(Math.exp(interval.high))}`
        }
  const said = `${Words.change(ratio, level.words)} ${Words.lately(size)} than in ${Words.nights(before.length)} before`
  return {
    figure: level.figure,
    scenario: scenario === null ? null : { suite: scenario.suite, name: scenario.name },
    verdict: found.verdict,
    ...shown,
    window: size,
    since,
    nights: before.length,
    detectable,
    evidence:
      found.verdict === "no evidence"
        ? `${said}; ${detectable ?? "no change"} would have been seen`
        : `${said}: by chance ${Words.rarely(found.chance)}`
  }
}

/** A level of all scenarios together, paired by scenario; a false alarm is as rare as `doubt`. */
export const ofNight = (level: Level, subject: Subject.Subject, doubt: number): JudgedRow => {
  const { nights, standing, tonight } = subject
  const points = Subject.points(
    standing(level.figure, null),
    nights,
    (night) => night.startedAt,
    (night) => night
  )
  const values = valuesOf(level, subject)
  const windows = Windows.of({ startedAt: tonight.startedAt, value: tonight }, points).flatMap(
    (window) => wholeWindow(values, window) ?? []
  )
  const [first] = windows
  if (first === undefined) return notEnough(level, points.length, subject, null)
  for (const { sign, verdict } of sides) {
    const { chance, window } = best(windows, sign)
    const adjusted = Math.min(1, chance * windows.length)
    if (window !== undefined && adjusted <= doubt)
      return rowOf(level, null, windows, first, { verdict, window, chance: adjusted }, doubt)
  }
  return rowOf(level, null, windows, first, { verdict: "no evidence", window: first, chance: 1 }, doubt)
}

/** Three nights of one scenario speak only if each of them is beyond all nights before: whatever their distribution is. */
const isBeyondAll = ({ before, now }: Numbers, sign: 1 | -1) => {
  const greatest = Math.max(...before.map((value) => sign * value))
  return now.every((value) => sign * value > greatest)
}

/** A level of each scenario; a false alarm in any of them is as rare as `doubt`. */
export const ofScenarios = (level: Level, subject: Subject.Subject, doubt: number): ReadonlyArray<JudgedRow> => {
  const { scenarios, standing, tonight } = subject
  const looked = scenarios.flatMap(({ earlier, scenario }) => {
    const value = level.ofOne(scenario)
    if (value === undefined) return []
    const points = Subject.points(
      standing(level.figure, scenario),
      earlier,
      ({ night }) => night.startedAt,
      ({ its }) => level.ofOne(its)
    )
    const windows = Windows.of({ startedAt: tonight.startedAt, value }, points, scenarioSizes)
    const bests = sides.map(({ sign }) =>
      best(
        windows.filter((window) => isBeyondAll(window, sign)),
        sign
      )
    )
    return [{ scenario, points: points.length, windows, bests }]
  })
  const adjusted = sides.map((_, side) =>
    FamilyWise.holm(looked.map((one) => Math.min(1, (one.bests[side]?.chance ?? 1) * scenarioSizes.length)))
  )
  return looked.map(({ bests, points, scenario, windows }, index) => {
    const [first] = windows
    if (first === undefined) return notEnough(level, points, subject, scenario)
    const share = doubt / looked.length
    for (const [side, { verdict }] of sides.entries()) {
      const [chance, window] = [adjusted[side]?.[index] ?? 1, bests[side]?.window]
      if (window !== undefined && chance <= doubt)
        return rowOf(level, scenario, windows, first, { verdict, window, chance }, share)
    }
    return rowOf(level, scenario, windows, first, { verdict: "no evidence", window: first, chance: 1 }, share)
  })
}
