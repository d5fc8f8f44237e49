import type { Comparison, Detectable, JudgedVerdict } from "@webagent/report/Comparison"
import type { RunReport } from "@webagent/report/RunReport"
import { isScored } from "@webagent/report/Trial"
import * as Binomial from "@webagent/statistics/Binomial"
import * as Discrete from "@webagent/statistics/Discrete"
import * as FamilyWise from "@webagent/statistics/FamilyWise"
import * as Fisher from "@webagent/statistics/Fisher"
import * as Interval from "@webagent/statistics/Interval"
import * as McNemar from "@webagent/statistics/McNemar"
import * as Power from "@webagent/statistics/Power"
import { mean } from "@webagent/statistics/Quantile"
import * as Stratified from "@webagent/statistics/Stratified"
import { cost, duration, type Level, tolerance } from "./Level.ts"
import { keyOf, type Night, type NightScenario } from "./Night.ts"
import { differences, least, most, sameMachine, scenariosOf } from "./Past.ts"
import { rate } from "./JudgedNight.ts"
import { failures, pooled, shareOf } from "./Shares.ts"

/** One of two nights to compare; with its report its trials can be paired with those of the other. */
export interface Compared {
  readonly night: Night
  readonly report: RunReport | undefined
}

/** Comparison of two nights: the second one is worse or better than the first. */
export interface NightComparison {
  readonly verdict: JudgedVerdict
  /** Scenarios that both have, as they are written in both. */
  readonly scenarios: number
  /** Trials with the same seed in both. */
  readonly pairs: number
  readonly differences: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Comparison>
  /** Durations and costs in numbers: of all scenarios together, and of each. */
  readonly levels: ReadonlyArray<ComparedLevel>
}

/** Difference between the durations or costs of the second night and the first. */
export interface ComparedLevel {
  readonly level: Level
  /** Of all scenarios together where it is null. */
  readonly scenario: NightScenario | null
  /** The natural logarithm of the second's divided by the first's. */
  readonly change: number
  readonly verdict: JudgedVerdict
  /** Number of other nights from which the usual variation is estimated. */
  readonly nights: number
  /**
   * Number of nights that would be enough, if these are too few; absent if they differ too much for any number to help.
   */
  readonly enough?: number
}

/** Of a false alarm, by what is looked at; 5 % together. */
const budget = { whole: 0.01, scenarios: 0.015, level: 0.0075, scenarioLevel: 0.005 } as const

/** The chance of a false positive for the pass rate of each scenario, among `scenarios`. */
export const budgetOfEach = (scenarios: number): number => budget.scenarios / Math.max(1, scenarios)

/** A comparison that cannot detect a change of half is blind. */
const blind = Math.log(1.5)

/** Number of other nights with the same variation that would detect a change of half. */
const enoughOf = (others: ReadonlyArray<number>, doubt: number): { readonly enough?: number } => {
  for (let enough = others.length + 1; enough <= most; enough++) {
    if (Interval.detectableMean(others, enough, doubt) * Math.sqrt(2 * enough) <= blind) return { enough }
  }
  return {}
}

/** A scenario in both nights. */
interface Both {
  readonly before: NightScenario
  readonly now: NightScenario
  readonly pairs: ReadonlyArray<readonly [before: boolean, now: boolean]>
}

const trialsOf = ({ report }: Compared) => {
  const trials = new Map<string, boolean>()
  for (const { name, suite, trials: all } of report?.results ?? []) {
    for (const trial of all) {
      if (isScored(trial))
        trials.set(JSON.stringify([suite, name, trial.index, trial.seed]), trial.verdict === "passed")
    }
  }
  return trials
}

const bothOf = (a: Compared, b: Compared): ReadonlyArray<Both> => {
  const [before, now] = [scenariosOf(a.night), scenariosOf(b.night)]
  const [first, second] = [trialsOf(a), trialsOf(b)]
  const pairs = Map.groupBy(
    [...second].flatMap(([key, passed]) => {
      const its = first.get(key)
      const [suite, name]: ReadonlyArray<unknown> = JSON.parse(key)
      return its === undefined ? [] : [{ key: keyOf(String(suite), String(name)), pair: [its, passed] as const }]
    }),
    ({ key }) => key
  )
  return [...now].flatMap(([key, its]) => {
    const was = before.get(key)
    if (was === undefined || was.source !== its.source || was.scored * its.scored === 0) return []
    return [{ before: was, now: its, pairs: (pairs.get(key) ?? []).map(({ pair }) => pair) }]
  })
}

const discordant = (pairs: Both["pairs"]): McNemar.Discordant => ({
  lost: pairs.filter(([before, now]) => before && !now).length,
  won: pairs.filter(([before, now]) => !before && now).length
})

/** True if every trial has a partner, because pairs then provide more evidence than counts. */
const isPaired = ({ before, now, pairs }: Both) =>
  pairs.length > 0 && pairs.length === before.scored && pairs.length === now.scored

/** The value that is compared, and its distribution if no change had happened: higher values are worse. */
interface Test {
  readonly distribution: Discrete.Discrete
  readonly value: number
  readonly isPaired: boolean
}

// decided by how many pairs there are, before one looks at them: of a few not even all lost would be detected
const isEnough = (pairs: number, level: number): boolean => 0.5 ** pairs <= level

/** By pairs where every trial has one and there are enough of them, else by counts. */
const testOf = (both: Both, level: number): Test => {
  if (isPaired(both) && isEnough(both.pairs.length, level)) {
    const { lost, won } = discordant(both.pairs)
    return { distribution: Binomial.of(lost + won, 0.5), value: lost, isPaired: true }
  }
  const [before, now] = [failures(shareOf(both.before)), failures(shareOf(both.now))]
  return { distribution: Fisher.conditional(now, before), value: now.passed, isPaired: false }
}

const memberOf = ({ distribution, value }: Test, side: "atLeast" | "atMost"): FamilyWise.Member => ({
  chance: Discrete[side](distribution, value),
  attainable: [Discrete.tails(distribution, side)]
})

const verdictOf = (worse: number, better: number, doubt: number): JudgedVerdict =>
  worse <= doubt ? "regressed" : better <= doubt ? "improved" : "no evidence"

/** By counts, or by pairs where some have passed now that had not before. */
const fallOf = (now: Fisher.Share, before: Fisher.Share, won: number | undefined, level: number): Detectable | null => {
  const share =
    won === undefined ? Power.detectableRate(now.of, before, level) : Power.detectablePairedRate(before, won, level)
  return share === undefined ? null : { amount: { _tag: "Share", share } }
}

/** Fields that the pass rates of two nights have in common, whether of a scenario or of all. */
const ofTwo = (
  now: Fisher.Share,
  before: Fisher.Share,
  verdict: JudgedVerdict,
  chances: { readonly worse: number; readonly better: number }
) =>
  ({
    figure: "pass rate",
    verdict,
    isUnusual: false,
    now: rate(now.passed, now.of),
    before: rate(before.passed, before.of),
    window: 1,
    nights: 1,
    ...(verdict === "no evidence" ? {} : { pValue: verdict === "improved" ? chances.better : chances.worse })
  }) as const

const scenarioRows = (all: ReadonlyArray<Both>, since: string): ReadonlyArray<Comparison> => {
  const tests = all.map((both) => testOf(both, budget.scenarios / all.length))
  const members = tests.map((test) => memberOf(test, "atLeast"))
  const worse = FamilyWise.discrete(members)
  const better = FamilyWise.discrete(tests.map((test) => memberOf(test, "atMost")))
  const level = FamilyWise.level(members, budget.scenarios)
  return all.map((both, index): Comparison => {
    const [before, now] = [shareOf(both.before), shareOf(both.now)]
    const verdict = verdictOf(worse[index] ?? 1, better[index] ?? 1, budget.scenarios)
    const { lost, won } = discordant(both.pairs)
    const paired = tests[index]?.isPaired === true
    return {
      ...ofTwo(now, before, verdict, { worse: worse[index] ?? 1, better: better[index] ?? 1 }),
      scenario: { suite: both.now.suite, name: both.now.name },
      since,
      ...(paired ? { pairs: { lost, won, of: both.pairs.length } } : {}),
      detectable: fallOf(now, before, paired ? won : undefined, level)
    }
  })
}

const wholeRow = (all: ReadonlyArray<Both>, since: string): Comparison => {
  const every = all.every(isPaired) ? all.flatMap((both) => both.pairs) : []
  const pairs = isEnough(every.length, budget.whole) ? discordant(every) : undefined
  const strata = all.map((both) => ({ now: shareOf(both.now), before: shareOf(both.before) }))
  const [worse, better] =
    pairs === undefined
      ? [Stratified.worse(strata), Stratified.better(strata)]
      : [McNemar.worse(pairs), McNemar.better(pairs)]
  const verdict = verdictOf(worse, better, budget.whole)
  const [now, before] = [pooled(strata.map((one) => one.now)), pooled(strata.map((one) => one.before))]
  return {
    ...ofTwo(now, before, verdict, { worse, better }),
    scenario: null,
    since,
    ...(pairs === undefined ? {} : { pairs: { ...pairs, of: every.length } }),
    detectable: fallOf(now, before, pairs?.won, budget.whole)
  }
}

/** By how much nights differ from each other in a level of these scenarios, as the deviations of nights that are alike. */
const scatter = (level: Level, all: ReadonlyArray<Both>, nights: ReadonlyArray<Night>): ReadonlyArray<number> => {
  const apart = new Map<Night, Array<number>>()
  for (const { now } of all) {
    const values = nights.flatMap((night) => {
      const its = scenariosOf(night).get(keyOf(now.suite, now.name))
      const value = its === undefined || its.source !== now.source ? undefined : level.of(its)
      return value === undefined ? [] : [{ night, value }]
    })
    const middle = mean(values.map(({ value }) => value))
    for (const { night, value } of values) apart.set(night, [...(apart.get(night) ?? []), value - middle])
  }
  return [...apart.values()].map(mean)
}

interface JudgedLevel {
  readonly of: ComparedLevel
  readonly row: Comparison
}

/** A level of these scenarios together; undefined where no scenario has one in both nights. */
const judgedLevel = (
  level: Level,
  all: ReadonlyArray<Both>,
  nights: ReadonlyArray<Night>,
  {
    doubt,
    scenario,
    since
  }: { readonly doubt: number; readonly scenario: NightScenario | null; readonly since: string }
): JudgedLevel | undefined => {
  const ratios = all.flatMap((both) => {
    const [now, before] = [level.of(both.now), level.of(both.before)]
    return now === undefined || before === undefined ? [] : [now - before]
  })
  if (ratios.length === 0) return undefined
  const change = mean(ratios)
  const others = scatter(level, all, nights)
  const row = {
    figure: level.figure,
    scenario: scenario === null ? null : { suite: scenario.suite, name: scenario.name },
    isUnusual: false,
    now: { _tag: "Ratio", ratio: Math.exp(change) },
    before: null,
    change: Math.expm1(change),
    window: 1,
    since,
    nights: others.length,
    scenarios: ratios.length
  } as const
  const of = { level, scenario, change, nights: others.length } as const
  if (others.length < least) {
    return {
      of: { ...of, verdict: "not enough data", enough: least },
      row: { ...row, verdict: "not enough data", detectable: null, lack: { _tag: "FewRuns", needed: least } }
    }
  }
  // the difference of two nights varies by twice the variance of one: as one more night beside one that was
  const spread = Interval.ofMean(others, doubt)
  const error = Math.sqrt(2 * others.length)
  const reach = (spread.high - spread.middle) * error
  const bound = Math.max(reach, Math.log1p(tolerance))
  // what is just beyond the bound is seen in one of two comparisons only
  const clearly = bound + (spread.detectable - (spread.high - spread.middle)) * error
  const detectable = { amount: { _tag: "Ratio", ratio: Math.exp(clearly) } } as const
  const as = (verdict: JudgedVerdict): JudgedLevel => ({
    of: { ...of, verdict, ...(verdict === "not enough data" ? enoughOf(others, doubt) : {}) },
    row: {
      ...row,
      verdict,
      spread: Math.expm1(reach),
      detectable,
      ...(verdict === "not enough data" ? { lack: { _tag: "Noise" } } : {})
    }
  })
  if (Math.abs(change) > bound) return as(change > 0 ? "regressed" : "improved")
  return as(clearly <= blind ? "no evidence" : "not enough data")
}

/** Lists scenarios that both nights have but only one has scored. They are not compared, and the output mentions it. */
const unscored = (a: Night, b: Night): ReadonlyArray<string> => {
  const notIn = (one: Night, other: Night, which: string) => {
    const count = [...scenariosOf(one)].filter(
      ([key, { scored }]) => scored === 0 && (scenariosOf(other).get(key)?.scored ?? 0) > 0
    ).length
    return count === 0 ? [] : [`${count} scenario${count === 1 ? "" : "s"} of the other not scored in the ${which}`]
  }
  return [...notIn(a, b, "first"), ...notIn(b, a, "second")]
}

/** Compares a night with one before it; `nights` are others like them, by which one knows how much nights differ. */
export const compare = (a: Compared, b: Compared, nights: ReadonlyArray<Night>): NightComparison => {
  const all = bothOf(a, b)
  const since = b.night.startedAt
  const others = nights.filter(
    (night) => night.id !== a.night.id && night.id !== b.night.id && sameMachine(night, b.night)
  )
  const levelsOf = (some: ReadonlyArray<Both>, scenario: NightScenario | null, doubt: number) =>
    [duration, cost].flatMap((level) => judgedLevel(level, some, others, { doubt, scenario, since }) ?? [])
  const whole = levelsOf(all, null, budget.level)
  const each = all.flatMap((both) => levelsOf([both], both.now, budget.scenarioLevel / all.length))
  const leaks = b.night.scenarios.reduce((sum, scenario) => sum + scenario.leaks, 0)
  const leaksBefore = a.night.scenarios.reduce((sum, scenario) => sum + scenario.leaks, 0)
  const rows: ReadonlyArray<Comparison> = [
    wholeRow(all, since),
    ...whole.map(({ row }) => row),
    {
      figure: "leaked browsers",
      scenario: null,
      verdict: leaks > leaksBefore ? "regressed" : leaks < leaksBefore ? "improved" : "no evidence",
      isUnusual: false,
      now: { _tag: "Count", count: leaks },
      before: { _tag: "Count", count: leaksBefore },
      window: 1,
      since,
      nights: 1,
      detectable: { amount: { _tag: "Count", count: 1 } }
    },
    ...scenarioRows(all, since),
    ...each.map(({ row }) => row)
  ]
  const verdict = (["regressed", "improved", "no evidence"] as const).find((wanted) =>
    rows.some((row) => row.verdict === wanted)
  )
  return {
    verdict: verdict ?? "not enough data",
    scenarios: all.length,
    pairs: all.reduce((sum, { pairs }) => sum + pairs.length, 0),
    differences: [...differences(b.night, a.night), ...unscored(a.night, b.night)],
    rows,
    levels: [...whole, ...each].map(({ of }) => of)
  }
}
