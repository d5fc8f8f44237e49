import type { Figure, JudgedRow, JudgedVerdict, NightJudgement, Tier } from "@webagent/report/NightJudgement"
import { median, middleMean } from "@webagent/statistics/Robust"
import * as Confirm from "./Confirm.ts"
import * as Counts from "./Counts.ts"
import { cost, duration, type Level, tolerance } from "./Level.ts"
import { keyOf, type Night, type NightScenario } from "./Night.ts"
import { differences, eligible, least, most, type Past } from "./Past.ts"
import * as Season from "./Season.ts"
import * as Shift from "./Shift.ts"
import * as Table from "./Table.ts"
import * as Words from "./Words.ts"

/**
 * The chance of a false alarm in a night, by what is looked at. Together 3 %: one night a month. The simulation of nights
 * in tools/bench measures what becomes of it.
 */
const doubts = {
  nightPassRate: 0.003,
  nightDuration: 0.008,
  nightCost: 0.003,
  scenarioPassRate: 0.004,
  scenarioDuration: 0.004,
  scenarioCost: 0.002,
  confirmPassRate: 0.004,
  confirmDuration: 0.003
} as const

// windows and baselines share nights, so they are not independent: this many count as one independent test
const ways = { level: 6, count: 4 } as const
// nights and trials that are all the same still differ by this much tomorrow
const leastScale = 0.005
// the median scenario weighs as much as this many nights of the scenario itself
const prior = 5
// the deviation of neighbours is known less exactly than that of all nights
const known = 0.6
const toleratedFall = 0.02
const unusualChange = Math.log(1.5)
const usual = 0.01
const longest = 90
const day_ms = 86_400_000

type Name = { readonly suite: string; readonly name: string }
const nameOf = ({ name, suite }: Name): Name => ({ suite, name })

interface Asked {
  readonly table: Table.Table
  readonly tonight: Night
  readonly isHeld: (scenario: NightScenario) => boolean
}

const since = ({ table }: Asked, from: number) => table.nights[from]?.startedAt ?? ""
const day = ({ table }: Asked, index: number) => Math.floor(Date.parse(table.nights[index]?.startedAt ?? "") / day_ms)
const chanceText = (chance: number) => (chance < 0.001 ? "p < 0.001" : `p = ${chance.toFixed(3)}`)
const before = (nights: number) => `in the ${Words.nights(nights)} before`

/** A row without enough data. */
const unknownRow = (
  asked: Asked,
  figure: Figure,
  scenario: Name | null,
  nights: number,
  now: string,
  why: string
): JudgedRow => ({
  figure,
  scenario,
  verdict: "not enough data",
  tier: "fine",
  now,
  before: "",
  window: 1,
  since: asked.tonight.startedAt,
  nights,
  detectable: null,
  evidence: why
})

const needs = (nights: number) => `${Words.nights(nights)} before, and ${least} are needed`

/** Nights of a line, how they differ by themselves, and how strict to be. */
interface Weighed {
  readonly values: Shift.Values
  readonly weighing: Shift.Weighing
  /** The level of significance of one way to look. */
  readonly level: number
}

/** A significant shift for the worse, else one for the better. */
const shiftOf = ({ level, values, weighing }: Weighed, isNight: boolean) => {
  const past = Shift.baselineOf(values)
  for (const [sign, verdict] of [
    [1, "regressed"],
    [-1, "improved"]
  ] as const) {
    const shifts = Shift.shiftsOf(values, weighing, sign).filter(
      (shift) => !isNight || shift.chance === 1 || !Shift.isRecurring(shift, past, sign)
    )
    // the fewest nights that show it
    const found = shifts.find(({ chance }) => chance <= level)
    if (found !== undefined) return { verdict, found } as const
  }
  return undefined
}

/** The night of all scenarios together, of a figure whose parts are differences from what each scenario usually has. */
const nightValues = ({ table }: Asked, figure: Figure, apart: ReadonlyArray<ReadonlyArray<number>>) =>
  Shift.valuesOf({
    values: Float64Array.from(apart, (all) => (all.length === 0 ? Number.NaN : middleMean(all))),
    isBaseline: table.isBaseline(figure)
  })

/** Without what the weekday adds, and with how much the nights differ. */
const weighNight = (asked: Asked, values: Shift.Values, doubt: number, floor: number, tolerated: number): Weighed => {
  const days = values.nights.map((index) => day(asked, index))
  const isPast = values.isBaseline
  const past = values.values.filter((_, index) => isPast[index] === true)
  const week = Season.ofWeek(
    past,
    days.filter((_, index) => isPast[index] === true)
  )
  const seasonless = {
    ...values,
    values: values.values.map((value, index) => value - (week[(days[index] ?? 0) % 7] ?? 0))
  }
  const flat = Shift.baselineOf(seasonless)
  const scale = Math.max(floor, Shift.nightly(flat) || 0)
  return {
    values: seasonless,
    level: doubt / ways.level,
    weighing: {
      scale,
      freedom: Math.max(3, flat.length - 2),
      between: Shift.variogram([{ values: flat, scale }]),
      tolerated
    }
  }
}

const tierOf = (verdict: JudgedVerdict, isUnusual: boolean): Tier =>
  verdict === "regressed" ? "red" : isUnusual ? "unusual" : "fine"

const levelRow = (
  asked: Asked,
  level: Level,
  scenario: NightScenario | null,
  weighed: Weighed,
  confirmed: string | undefined
): JudgedRow => {
  const { values, weighing } = weighed
  const past = Shift.baselineOf(values, most)
  const found = confirmed === undefined ? shiftOf(weighed, scenario === null) : undefined
  const usualLevel = median(past)
  const tonight = values.values.at(-1) ?? 0
  const shown = found?.found
  const verdict = confirmed === undefined ? (found?.verdict ?? "no evidence") : "regressed"
  const isUnusual = tonight > Math.max(...past) && tonight - usualLevel > unusualChange
  const reach = Shift.detectable(weighing, Shift.baselineOf(values).length, weighed.level)
  const detectable = Number.isFinite(reach) ? Words.change(Math.exp(reach), level.words) : null
  const now = shown === undefined ? tonight : shown.level + (found?.verdict === "improved" ? -1 : 1) * shown.shift
  const from = shown?.level ?? usualLevel
  const change = Words.change(Math.exp(now - from), level.words)
  const compared =
    shown?.baseline === "reference"
      ? `than in the first ${Words.nights(shown.before.length)}`
      : `than ${before(shown?.before.length ?? past.length)}`
  const what = `${change} ${Words.lately(shown?.window ?? 1)} ${compared}`
  const spread = Math.exp(weighing.scale) - 1
  return {
    figure: level.figure,
    scenario: scenario === null ? null : nameOf(scenario),
    verdict,
    tier: tierOf(verdict, isUnusual),
    now: scenario === null ? change : level.format(Math.exp(now)),
    change: Math.expm1(now - from),
    before: scenario === null ? `nights vary by ${Words.percent(spread)}` : level.format(Math.exp(from)),
    window: shown?.window ?? 1,
    since: since(asked, shown?.from ?? asked.table.nights.length - 1),
    nights: shown?.before.length ?? past.length,
    detectable,
    evidence:
      confirmed ??
      (shown === undefined
        ? `${what}; ${detectable === null ? "no change would be seen" : `${detectable} would be seen`}`
        : `${what} (${chanceText(shown.chance * ways.level)})`)
  }
}

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

/** What confirm trials of a scenario said; undefined where it got none for this figure. */
const saidBy = (suspects: ReadonlyMap<string, Suspect>, scenario: NightScenario, figure: Test["figure"]) => {
  const suspect = suspects.get(keyOf(scenario.suite, scenario.name))
  return scenario.confirm === undefined || scenario.confirm.figure !== figure || suspect?.figure !== figure
    ? undefined
    : suspect.decide(scenario.confirm)
}

/** A level of a night and of each of its scenarios. */
interface Levels {
  readonly level: Level
  readonly night: Weighed | undefined
  readonly nightPoints: number
  readonly scenarios: ReadonlyArray<{
    readonly of: Table.TableScenario
    readonly points: number
    readonly weighed: Weighed | undefined
    /** What the night adds to all scenarios. */
    readonly nightLevel: number
  }>
}

const levelsOf = (
  asked: Asked,
  level: Level,
  doubts: { readonly night: number; readonly scenario: number }
): Levels => {
  const { table } = asked
  const figure = level.figure === "cost" ? "cost" : "duration"
  const last = table.nights.length - 1
  const lines = table.scenarios.map((of) => ({ of, values: Shift.valuesOf(of[figure]) }))
  const apart: ReadonlyArray<Array<number>> = table.nights.map(() => [])
  for (const { of, values } of lines) {
    if (values === undefined || asked.isHeld(of.scenario)) continue
    const past = Shift.baselineOf(values, most)
    if (past.length < least) continue
    const middle = median(past)
    for (const [index, night] of values.nights.entries()) apart[night]?.push((values.values[index] ?? 0) - middle)
  }
  const night = nightValues(asked, level.figure, apart)
  const nightPoints = night === undefined ? 0 : Shift.baselineOf(night).length
  const nightLevels = table.nights.map(() => 0)
  for (const [index, at] of (night?.nights ?? []).entries()) nightLevels[at] = night?.values[index] ?? 0
  const own = lines.map(({ of, values }) => {
    const without =
      values === undefined
        ? undefined
        : {
            ...values,
            values: values.values.map((value, index) => value - (nightLevels[values.nights[index] ?? 0] ?? 0))
          }
    const flat = without === undefined ? [] : Shift.baselineOf(without)
    return { of, without, flat, points: flat.length, scale: flat.length < least ? 0 : Shift.nightly(flat) }
  })
  const enough = own.filter(({ points }) => points >= least)
  const middle = enough.length === 0 ? 0 : median(enough.map(({ scale }) => scale ** 2))
  const scaled = enough.map((one) => {
    const freedom = one.points - 1
    const variance = (prior * middle + freedom * one.scale ** 2) / (prior + freedom)
    return { ...one, freedom: prior + known * freedom, scale: Math.max(leastScale, Math.sqrt(variance)) }
  })
  const between = Shift.variogram(scaled.map(({ flat, scale }) => ({ values: flat, scale })))
  const significance = doubts.scenario / Math.max(1, scaled.length) / ways.level
  const weighed = new Map(
    scaled.map(({ freedom, of, scale, without }) => [
      of,
      without && {
        values: without,
        level: significance,
        weighing: { scale, freedom, between, tolerated: Math.log1p(tolerance) }
      }
    ])
  )
  return {
    level,
    nightPoints,
    night:
      night === undefined || nightPoints < least
        ? undefined
        : weighNight(asked, night, doubts.night, leastScale, Math.log1p(tolerance)),
    scenarios: own.map(({ of, points }) => ({
      of,
      points,
      weighed: weighed.get(of),
      nightLevel: nightLevels[last] ?? 0
    }))
  }
}

const levelRows = (
  asked: Asked,
  { level, night, nightPoints, scenarios }: Levels,
  suspects: ReadonlyMap<string, Suspect>
) => {
  const has = asked.tonight.scenarios.some((scenario) => level.of(scenario) !== undefined)
  const whole =
    night === undefined
      ? unknownRow(
          asked,
          level.figure,
          null,
          nightPoints,
          "",
          has ? needs(nightPoints) : `no scenario has a ${level.figure}`
        )
      : levelRow(asked, level, null, night, undefined)
  const each = scenarios.flatMap(({ of: { scenario }, points, weighed }) => {
    if (level.of(scenario) === undefined) return []
    if (weighed === undefined) return [unknownRow(asked, level.figure, nameOf(scenario), points, "", needs(points))]
    const said = level.figure === "duration" ? saidBy(suspects, scenario, "duration") : undefined
    const confirmed = said === "confirmed" ? confirmedSlow(scenario, weighed) : undefined
    return [levelRow(asked, level, scenario, weighed, confirmed)]
  })
  return { whole, each }
}

const confirmedSlow = ({ confirm }: NightScenario, { values }: Weighed) => {
  const usual = median(Shift.baselineOf(values, most))
  const change = Words.change(Math.exp((values.values.at(-1) ?? 0) - usual), duration.words)
  return `${change} tonight, confirmed by ${confirm?.passed ?? 0} more trials`
}

const ratio = (passed: number, of: number) => `${passed} of ${of}`

/** The pass rate of all scenarios together: failures beyond what each scenario's own rate lets expect. */
const nightPassRate = (asked: Asked): JudgedRow => {
  const { table } = asked
  const last = table.nights.length - 1
  const beyond = new Float64Array(table.nights.length)
  const trials = new Float64Array(table.nights.length)
  let [variance, failed, scored, usualFailures] = [0, 0, 0, 0]
  for (const one of table.scenarios) {
    const tonight = one.scored[last] ?? 0
    const rate = Counts.rateOf(one)
    if (asked.isHeld(one.scenario) || rate.nights < least || !(tonight > 0)) continue
    const share = rate.failed / rate.scored
    const smooth = (rate.failed + 0.5) / (rate.scored + 10)
    variance += tonight * smooth * (1 - smooth)
    usualFailures += tonight * share
    failed += one.failed[last] ?? 0
    scored += tonight
    for (const [night, of] of one.scored.entries()) {
      if (!(of > 0)) continue
      beyond[night] = (beyond[night] ?? 0) + (one.failed[night] ?? 0) - share * of
      trials[night] = (trials[night] ?? 0) + of
    }
  }
  const values = Shift.valuesOf({
    values: beyond.map((sum, night) => sum / (trials[night] ?? 0)),
    isBaseline: table.isBaseline("pass rate")
  })
  const points = values === undefined ? 0 : Shift.baselineOf(values).length
  if (values === undefined || points < least) {
    const all = table.scenarios.filter(({ scenario }) => !asked.isHeld(scenario)).map(({ scenario }) => scenario)
    const sum = (count: (one: NightScenario) => number) => all.reduce((total, one) => total + count(one), 0)
    const now = ratio(
      sum(({ passed }) => passed),
      sum(({ scored }) => scored)
    )
    const nights = Math.min(eligiblePoints(asked), most)
    return unknownRow(asked, "pass rate", null, nights, now, `${now} trials passed; ${needs(nights)}`)
  }
  const noise = Math.sqrt(variance) / scored
  const weighed = weighNight(asked, values, doubts.nightPassRate, noise, toleratedFall)
  const found = shiftOf(weighed, true)
  const usualRate = 1 - usualFailures / scored
  const reach = Shift.detectable(weighed.weighing, points, weighed.level, (shift) => {
    const noiseOf = (failing: number) => Math.sqrt((failing * Math.max(0, 1 - failing)) / scored)
    const failing = shift + usualFailures / scored
    return noiseOf(failing + noiseOf(failing))
  })
  const detectable = reach < 1 ? `${(100 * reach).toFixed(1)} points` : null
  const shift =
    found === undefined ? (values.values.at(-1) ?? 0) : (found.verdict === "regressed" ? 1 : -1) * found.found.shift
  const past = Shift.baselineOf(weighed.values, most)
  const now = Words.percent(Math.max(0, Math.min(1, usualRate - shift)))
  const verdict = found?.verdict ?? "no evidence"
  const nights = found?.found.before.length ?? past.length
  const what = `${now} of the trials passed ${Words.lately(found?.found.window ?? 1)}, ${Words.percent(usualRate)} of those of the same scenarios ${before(nights)}`
  const isUnusual = shift > Math.max(toleratedFall, ...past) && failed > 1.5 * usualFailures
  return {
    figure: "pass rate",
    scenario: null,
    verdict,
    tier: tierOf(verdict, isUnusual),
    now,
    before: Words.percent(usualRate),
    window: found?.found.window ?? 1,
    since: since(asked, found?.found.from ?? last),
    nights,
    detectable,
    evidence:
      found === undefined
        ? `${what}; ${detectable === null ? "no fall" : `${detectable} less`} would be seen`
        : `${what} (${chanceText(found.found.chance * ways.level)})`
  }
}

const eligiblePoints = ({ table }: Asked) => table.nights.length - 1

interface Counted {
  readonly of: Table.TableScenario
  readonly looks: ReadonlyArray<Counts.Look>
}

const countedOf = ({ table }: Asked): ReadonlyArray<Counted> => {
  const scatter = Counts.scatterOf(table.scenarios)
  const factor = Counts.worseForOthers(table.scenarios)
  return table.scenarios.flatMap((of) =>
    of.scenario.scored === 0 ? [] : [{ of, looks: Counts.looksAt(of, scatter, factor(of)) }]
  )
}

const passRateRow = (
  asked: Asked,
  { looks, of }: Counted,
  level: number,
  said: Confirm.State | undefined
): JudgedRow => {
  const { scenario } = of
  const now = ratio(scenario.passed, scenario.scored)
  const [first] = looks
  if (first === undefined) {
    const { nights } = Counts.rateOf(of)
    return unknownRow(asked, "pass rate", nameOf(scenario), nights, now, `${now} trials passed; ${needs(nights)}`)
  }
  // where more trials of the same night say that it is well, one night is not enough
  const trusted = said === "not confirmed" ? looks.filter(({ window }) => window > 1) : looks
  const worse = trusted.find((look) => look.worse <= level)
  const better = looks.find((look) => look.better <= level)
  const isWorse = said === "confirmed" || worse !== undefined
  const isBetter = !isWorse && better !== undefined
  const shown = (said === "confirmed" ? first : isWorse ? worse : isBetter ? better : first) ?? first
  const verdict = isWorse ? "regressed" : isBetter ? "improved" : "no evidence"
  const hasPassed = first.before.failed < first.before.scored
  const isUnusual = first.worse < usual || (!hasPassed && scenario.passed === 0)
  const detectable = detectableFall(looks, level)
  const was = `${ratio(shown.before.scored - shown.before.failed, shown.before.scored)} ${before(shown.before.nights)}`
  const what = `${ratio(shown.scored - shown.failed, shown.scored)} trials passed ${Words.lately(shown.window)}, ${was}`
  const confirm = scenario.confirm
  const more =
    said === undefined || confirm === undefined
      ? ""
      : `; ${ratio(confirm.passed, confirm.scored)} confirm trials passed`
  const chance = isBetter ? shown.better : shown.worse
  return {
    figure: "pass rate",
    scenario: nameOf(scenario),
    verdict,
    tier: tierOf(verdict, isUnusual),
    now: ratio(shown.scored - shown.failed, shown.scored),
    before: ratio(shown.before.scored - shown.before.failed, shown.before.scored),
    window: shown.window,
    since: since(asked, shown.from),
    nights: shown.before.nights,
    detectable,
    evidence:
      verdict === "no evidence"
        ? `${what}${more}; ${detectable ?? "no fall"} would be seen`
        : said === "confirmed"
          ? `${what}${more}`
          : `${what}${more} (${chanceText(Math.min(1, chance * ways.count))})`
  }
}

/** The greatest pass rate of one window that four of five such windows show as worse. */
const detectableFall = (looks: ReadonlyArray<Counts.Look>, level: number): string | null => {
  for (const { rate, scored, window } of looks) {
    const { critical, most } = Confirm.failureTest(rate, level, scored)
    if (critical > most) continue
    const passing = Counts.rateSeen(critical, scored)
    return `a fall to ${Words.percent(passing)}${window === 1 ? "" : ` within ${Words.nights(window)}`}`
  }
  return null
}

const leaks = ({ table, tonight }: Asked): JudgedRow => {
  const of = (night: Night) => night.scenarios.reduce((sum, scenario) => sum + scenario.leaks, 0)
  const nights = table.nights.slice(0, -1).slice(-most)
  const [now, then] = [of(tonight), nights.filter((night) => of(night) > 0).length]
  return {
    figure: "leaked browsers",
    scenario: null,
    // no night may leave one, whatever the nights before did
    verdict: now > 0 ? "regressed" : nights.length < least ? "not enough data" : "no evidence",
    tier: now > 0 ? "red" : "fine",
    now: String(now),
    before: `in ${then} of ${Words.nights(nights.length)}`,
    window: 1,
    since: tonight.startedAt,
    nights: nights.length,
    detectable: "1 more",
    evidence: `${now} leaked; in ${then} of ${Words.nights(nights.length)} before browsers leaked`
  }
}

const byKey = (suspects: ReadonlyArray<Suspect>): ReadonlyMap<string, Suspect> =>
  new Map(suspects.map((suspect) => [keyOf(suspect.suite, suspect.name), suspect]))

// a scenario that fails as often as it does in half of its nights is no suspect
const mostChance = 0.5
// of all scenarios one in ten looks so slow by chance
const suspiciousShift = 1.3
/** Trials differ by this much from those of another night, at the least. */
const leastOfNight = 0.03

const suspectsOf = (
  asked: Asked,
  counted: ReadonlyArray<Counted>,
  { scenarios: timed }: Levels
): ReadonlyArray<Suspect> => {
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

const askedOf = (past: Past, tonight: Night, held: ReadonlyArray<Name>) => {
  const { nights, passedOver } = eligible(past.nights, tonight)
  const keys = new Set(held.map(({ name, suite }) => keyOf(suite, name)))
  const asked: Asked = {
    table: Table.make(past, nights.slice(-longest), tonight),
    tonight,
    isHeld: ({ name, suite }) => keys.has(keyOf(suite, name))
  }
  return { asked, nights, passedOver }
}

const durationsOf = (asked: Asked) =>
  levelsOf(asked, duration, { night: doubts.nightDuration, scenario: doubts.scenarioDuration })

/** The scenarios whose planned trials tonight leave in doubt whether they are worse, the most suspicious first. */
export const suspects = (past: Past, tonight: Night, held: ReadonlyArray<Name> = []): ReadonlyArray<Suspect> => {
  const { asked } = askedOf(past, tonight, held)
  return suspectsOf(asked, countedOf(asked), durationsOf(asked)).filter(
    ({ name, suite }) => !held.some((one) => one.name === name && one.suite === suite)
  )
}

const overall = (rows: ReadonlyArray<JudgedRow>): JudgedVerdict =>
  (["regressed", "improved", "no evidence"] as const).find((verdict) => rows.some((row) => row.verdict === verdict)) ??
  "not enough data"

/**
 * Judges a night by the nights before it that may be compared with it. A scenario that is `held` in quarantine is judged by itself
 * and does not count for the whole night.
 */
export const judge = (past: Past, tonight: Night, held: ReadonlyArray<Name> = []): NightJudgement => {
  const { asked, nights, passedOver } = askedOf(past, tonight, held)
  const counted = countedOf(asked)
  const durations = durationsOf(asked)
  const costs = levelsOf(asked, cost, { night: doubts.nightCost, scenario: doubts.scenarioCost })
  const isConfirming = tonight.scenarios.some(({ confirm }) => confirm !== undefined)
  const suspected = byKey(isConfirming ? suspectsOf(asked, counted, durations) : [])
  const level = doubts.scenarioPassRate / Math.max(1, counted.length) / ways.count
  const timed = levelRows(asked, durations, suspected)
  const paid = levelRows(asked, costs, new Map())
  const rows = [
    nightPassRate(asked),
    timed.whole,
    paid.whole,
    leaks(asked),
    ...counted.map((one) => passRateRow(asked, one, level, saidBy(suspected, one.of.scenario, "pass rate"))),
    ...timed.each,
    ...paid.each
  ]
  const tiers: ReadonlyArray<Tier> = ["red", "unusual"]
  return {
    verdict: overall(
      rows.filter(({ figure }) => figure !== "leaked browsers" || tonight.scenarios.some(({ leaks }) => leaks > 0))
    ),
    tier: tiers.find((tier) => rows.some((row) => row.tier === tier)) ?? "fine",
    nights: Math.min(nights.length, most),
    passedOver,
    differences: differences(tonight, nights.at(-1)),
    rows
  }
}
