import type { Contributor, JudgedRow } from "@webagent/report/NightJudgement"
import * as BetaBinomial from "@webagent/statistics/BetaBinomial"
import * as JudgedNight from "./JudgedNight.ts"
import * as Confirm from "./Confirm.ts"
import * as Counts from "./Counts.ts"
import { budget, independentTests } from "./FalseAlarmBudget.ts"
import type { NightScenario } from "./Night.ts"
import { least, most } from "./Past.ts"
import * as Shift from "./Shift.ts"
import type * as Table from "./Table.ts"
import { shiftOf, weighNight } from "./Weighed.ts"
import * as Words from "./Words.ts"

const toleratedFall = 0.02
const usual = 0.01

/** The scenarios that failed most beyond their own rates tonight. */
const contributorsOf = ({ isHeld, table }: JudgedNight.JudgedNight): ReadonlyArray<Contributor> =>
  JudgedNight.contributorsOf(
    table.scenarios.flatMap((one) => {
      const { passed, scored } = one.scenario
      const rate = Counts.rateOf(one)
      const more = scored - passed - (scored * rate.failed) / rate.scored
      if (isHeld(one.scenario) || rate.nights < least || !(more > 0)) return []
      const usually = rate.scored - rate.failed
      return {
        ...JudgedNight.nameOf(one.scenario),
        now: JudgedNight.ratio(passed, scored),
        before: JudgedNight.ratio(usually, rate.scored),
        change: (passed / scored) * (rate.scored / Math.max(1, usually)) - 1,
        more
      }
    })
  )

/** The pass rate of all scenarios together: failures beyond what each scenario's own rate lets expect. */
export const nightPassRate = (judged: JudgedNight.JudgedNight): JudgedRow => {
  const { table } = judged
  const last = table.nights.length - 1
  const beyond = new Float64Array(table.nights.length)
  const trials = new Float64Array(table.nights.length)
  let [variance, failed, scored, usualFailures] = [0, 0, 0, 0]
  for (const one of table.scenarios) {
    const tonight = one.scored[last] ?? 0
    const rate = Counts.rateOf(one)
    if (judged.isHeld(one.scenario) || rate.nights < least || !(tonight > 0)) continue
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
    const all = table.scenarios.filter(({ scenario }) => !judged.isHeld(scenario)).map(({ scenario }) => scenario)
    const sum = (count: (one: NightScenario) => number) => all.reduce((total, one) => total + count(one), 0)
    const now = JudgedNight.ratio(
      sum(({ passed }) => passed),
      sum(({ scored }) => scored)
    )
    const nights = Math.min(eligiblePoints(judged), most)
    return JudgedNight.unknownRow(
      judged,
      "pass rate",
      null,
      nights,
      now,
      `${now} trials passed; ${JudgedNight.needs(nights)}`
    )
  }
  const noise = Math.sqrt(variance) / scored
  const { weighing, ...rest } = weighNight(judged, values, values, {
    doubt: budget.nightPassRate,
    usual: noise,
    tolerated: toleratedFall,
    enough: least
  })
  // nights differ at least by what their trials do, however alike a few of them were
  const weighed = { ...rest, weighing: { ...weighing, scale: Math.max(noise, weighing.scale) } }
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
  const what = `${now} of the trials passed ${Words.lately(found?.found.window ?? 1)}, ${Words.percent(usualRate)} of those of the same scenarios ${JudgedNight.before(nights)}`
  const isUnusual = shift > Math.max(toleratedFall, ...past) && failed > 1.5 * usualFailures
  const tier = JudgedNight.tierOf(verdict, isUnusual)
  const contributors = tier === "fine" ? [] : contributorsOf(judged)
  return {
    figure: "pass rate",
    scenario: null,
    verdict,
    tier,
    now,
    ...(contributors.length === 0 ? {} : { contributors }),
    before: Words.percent(usualRate),
    window: found?.found.window ?? 1,
    since: JudgedNight.since(judged, found?.found.from ?? last),
    nights,
    detectable,
    evidence:
      found === undefined
        ? `${what}; ${detectable === null ? "no fall" : `${detectable} less`} would be seen`
        : `${what} (${JudgedNight.chanceText(found.found.chance * independentTests.level)})`
  }
}

const eligiblePoints = ({ table }: JudgedNight.JudgedNight) => table.nights.length - 1

/** A scenario with every window of its counts. */
export interface Counted {
  readonly of: Table.TableScenario
  readonly looks: ReadonlyArray<Counts.Look>
  /** Whether this number of failures is usual, by its earlier nights, however few, and by all scenarios. */
  readonly isUsual: boolean
}

/** The counts of every scenario with a scored trial tonight. */
export const countedOf = ({ table }: JudgedNight.JudgedNight): ReadonlyArray<Counted> => {
  const scatter = Counts.scatterOf(table.scenarios)
  const factor = Counts.worseForOthers(table.scenarios)
  return table.scenarios.flatMap((of) => {
    const { passed, scored } = of.scenario
    if (scored === 0) return []
    const rate = Counts.predicted(Counts.rateOf(of), scatter, 1, factor(of))
    const isUsual = BetaBinomial.atLeast(scored - passed, scored, rate.failed, rate.passed) >= usual
    return [{ of, looks: Counts.looksAt(of, scatter, factor(of)), isUsual }]
  })
}

/** The row of a scenario; `said` is what its confirm trials say. */
export const passRateRow = (
  judged: JudgedNight.JudgedNight,
  { isUsual, looks, of }: Counted,
  level: number,
  said: Confirm.State | undefined
): JudgedRow => {
  const { scenario } = of
  const now = JudgedNight.ratio(scenario.passed, scenario.scored)
  const [first] = looks
  if (first === undefined) {
    const { nights } = Counts.rateOf(of)
    const why = `${now} trials passed; ${JudgedNight.needs(nights)}`
    const row = JudgedNight.unknownRow(judged, "pass rate", JudgedNight.nameOf(scenario), nights, now, why)
    return { ...row, tier: isUsual ? "fine" : "unusual" }
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
  // more trials of the same night that pass as usual explain all but what chance hardly can
  const isUnusual = first.worse < (said === "not confirmed" ? level : usual) || (!hasPassed && scenario.passed === 0)
  const detectable = detectableFall(looks, level)
  const was = `${JudgedNight.ratio(shown.before.scored - shown.before.failed, shown.before.scored)} ${JudgedNight.before(shown.before.nights)}`
  const what = `${JudgedNight.ratio(shown.scored - shown.failed, shown.scored)} trials passed ${Words.lately(shown.window)}, ${was}`
  const confirm = scenario.confirm
  const more =
    said === undefined || confirm === undefined
      ? ""
      : `; ${JudgedNight.ratio(confirm.passed, confirm.scored)} confirm trials passed`
  const chance = isBetter ? shown.better : shown.worse
  return {
    figure: "pass rate",
    scenario: JudgedNight.nameOf(scenario),
    verdict,
    tier: JudgedNight.tierOf(verdict, isUnusual),
    now: JudgedNight.ratio(shown.scored - shown.failed, shown.scored),
    before: JudgedNight.ratio(shown.before.scored - shown.before.failed, shown.before.scored),
    window: shown.window,
    since: JudgedNight.since(judged, shown.from),
    nights: shown.before.nights,
    detectable,
    evidence:
      verdict === "no evidence"
        ? `${what}${more}; ${detectable ?? "no fall"} would be seen`
        : said === "confirmed"
          ? `${what}${more}`
          : `${what}${more} (${JudgedNight.chanceText(Math.min(1, chance * independentTests.count))})`
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
