import type { Comparison, Detectable, Lack } from "@webagent/report/Comparison"
import * as BetaBinomial from "@webagent/statistics/BetaBinomial"
import * as JudgedNight from "./JudgedNight.ts"
import type * as Confirm from "./Confirm.ts"
import * as Counts from "./Counts.ts"
import * as Evidence from "./Evidence.ts"
import { budget, independentTests } from "./FalseAlarmBudget.ts"
import { keyOf, type NightScenario } from "./Night.ts"
import { least, most, scenariosOf } from "./Past.ts"
import * as NightSeries from "./NightSeries.ts"
import * as Shift from "./Shift.ts"
import type * as Table from "./Table.ts"

const toleratedFall = 0.02
const usual = 0.01

/** The scenarios that failed most beyond their own rates tonight. */
const contributionOf = (judged: JudgedNight.JudgedNight) =>
  JudgedNight.contributionOf(
    judged,
    judged.table.scenarios.flatMap((one) => {
      const { passed, scored } = one.scenario
      const rate = Counts.rateOf(one)
      const more = scored - passed - (scored * rate.failed) / rate.scored
      if (judged.isHeld(one.scenario) || rate.nights < least || !(more > 0)) return []
      const usually = rate.scored - rate.failed
      return {
        ...JudgedNight.nameOf(one.scenario),
        now: JudgedNight.rate(passed, scored),
        before: JudgedNight.rate(usually, rate.scored),
        change: (passed / scored) * (rate.scored / Math.max(1, usually)) - 1,
        more
      }
    })
  )

/** Counts vary by their root: a root of a share varies as much whatever the share is (Anscombe). */
const rootOf = (failed: number, scored: number) => Math.sqrt((failed + 0.375) / scored)

/** The pass rate of all scenarios together: failures beyond what each scenario's own rate lets expect. */
export const nightPassRate = (judged: JudgedNight.JudgedNight): Comparison => {
  const { table } = judged
  const last = table.nights.length - 1
  const counts = table.nights.map(() => ({ failed: 0, expected: 0, scored: 0 }))
  let variance = 0
  for (const one of table.scenarios) {
    const rate = Counts.rateOf(one)
    const tonight = one.scored[last] ?? 0
    if (judged.isHeld(one.scenario) || rate.nights < least || !(tonight > 0)) continue
    const smooth = (rate.failed + 0.5) / (rate.scored + 10)
    variance += tonight * smooth * (1 - smooth)
    for (const [night, scored] of one.scored.entries()) {
      const count = counts[night]
      if (!(scored > 0) || count === undefined) continue
      count.failed += one.failed[night] ?? 0
      count.expected += (scored * rate.failed) / rate.scored
      count.scored += scored
    }
  }
  const { expected: usualFailures = 0, failed = 0, scored = 0 } = counts[last] ?? {}
  const values = Shift.valuesOf({
    values: Float64Array.from(counts, ({ expected, failed, scored }) =>
      scored === 0 ? Number.NaN : rootOf(failed, scored) - rootOf(expected, scored)
    ),
    isBaseline: table.isBaseline("pass rate")
  })
  const points = values === undefined ? 0 : Shift.baselineOf(values).length
  if (values === undefined || points < least) {
    const all = table.scenarios.filter(({ scenario }) => !judged.isHeld(scenario) && scenario.scored > 0)
    const sum = (count: (one: NightScenario) => number) => all.reduce((total, one) => total + count(one.scenario), 0)
    const now = JudgedNight.rate(
      sum(({ passed }) => passed),
      sum(({ scored }) => scored)
    )
    return JudgedNight.uncompared(judged, {
      figure: "pass rate",
      scenario: null,
      nights: Math.max(points, ...all.map((one) => Counts.rateOf(one).nights)),
      now,
      lack: all.length === 0 ? { _tag: "NoValue" } : { _tag: "FewRuns", needed: least }
    })
  }
  const root = rootOf(usualFailures, scored)
  // of hardly any failures the root varies less than by a half
  const noise = Math.min(0.5 / Math.sqrt(scored), Math.sqrt(variance) / scored / (2 * root))
  const pointsOf = (shift: number) => (root + shift) ** 2 - root ** 2
  const tolerated = Math.sqrt(root ** 2 + toleratedFall) - root
  const series = {
    values,
    days: values.nights.map((night) => JudgedNight.day(judged, night)),
    machines: values.nights.map(() => 0),
    usual: noise,
    // nights differ at least by what their trials do, however alike a few of them were
    least: noise,
    tolerated,
    enough: least,
    level: budget.nightPassRate / independentTests.level
  }
  const decline = NightSeries.shiftOf(series)
  const usualRate = 1 - usualFailures / scored
  const reach = pointsOf(NightSeries.reachOf(series).detectable)
  const shift =
    decline === undefined
      ? (values.values.at(-1) ?? 0)
      : (decline.verdict === "regressed" ? 1 : -1) * decline.found.shift
  const past = Shift.baselineOf(values, most)
  const tonight = counts.slice(decline?.found.from ?? last)
  const sum = (count: "failed" | "scored") => tonight.reduce((total, night) => total + night[count], 0)
  const [fails, all] = [sum("failed"), sum("scored")]
  const verdict = decline?.verdict ?? "no evidence"
  const isUnusual = verdict !== "regressed" && shift > Math.max(tolerated, ...past) && failed > 1.5 * usualFailures
  return {
    figure: "pass rate",
    scenario: null,
    verdict,
    isUnusual,
    // as it was counted: the shift is relative to each scenario's own rate
    now: JudgedNight.rate(all - fails, all),
    ...(verdict === "regressed" || isUnusual ? contributionOf(judged) : {}),
    before: { _tag: "Share", share: usualRate },
    window: decline?.found.window ?? 1,
    since: JudgedNight.since(judged, decline?.found.from ?? last),
    nights: decline?.found.before.length ?? past.length,
    detectable: reach < 1 ? { amount: { _tag: "Share", share: usualRate - reach } } : null,
    ...(decline === undefined ? {} : { pValue: decline.found.chance * independentTests.level })
  }
}

const eligiblePoints = ({ table }: JudgedNight.JudgedNight) => table.nights.length - 1

/** A scenario with every window of its counts. */
export interface Counted {
  readonly of: Table.TableScenario
  readonly looks: ReadonlyArray<Counts.Look>
  /** The evidence that it fails more, given its extra trials. */
  readonly evidence: (confirm: Evidence.Failures) => Evidence.Evidence
  /** The smallest fall that enough nights with planned trials alone would show. */
  readonly detectable: (level: number) => Detectable | null
  /**
   * True if this number of failures is usual, by its earlier nights, however few, and by all scenarios. If there are
   * earlier nights and none has run it, no failure is usual.
   */
  readonly isUsual: boolean
}

/** The counts of every scenario with a scored trial tonight. */
export const countedOf = (judged: JudgedNight.JudgedNight): ReadonlyArray<Counted> => {
  const { table } = judged
  const scatter = Counts.scatterOf(table.scenarios)
  const factor = Counts.worseForOthers(table.scenarios)
  return table.scenarios.flatMap((of) => {
    const { passed, scored } = of.scenario
    if (scored === 0) return []
    const before = Counts.rateOf(of)
    const rate = Counts.predicted(before, scatter, scatter.besides, factor(of))
    const isNew = before.nights === 0 && eligiblePoints(judged) >= least
    const isUsual = isNew
      ? passed === scored
      : BetaBinomial.atLeast(scored - passed, scored, rate.failed, rate.passed) >= usual
    const looks = Counts.looksAt(of, scatter, factor(of))
    const detectable = (level: number) => {
      for (const { before, window } of looks) {
        const apart = window === 1 ? scatter.besides : scatter.sameNight
        const usual = Counts.predicted(before, scatter, apart, window === 1 ? factor(of) : 1)
        const critical = Evidence.criticalOf(usual, window, scored, level)
        if (critical === undefined) continue
        const amount = { _tag: "Share", share: Counts.rateSeen(critical, window * scored) } as const
        return window === 1 ? { amount } : { amount, window }
      }
      return null
    }
    return [{ of, looks, evidence: Evidence.evidenceOf(of, scatter, factor(of)), detectable, isUsual }]
  })
}

/** A scenario that too few nights have run with this code. */
const uncompared = (judged: JudgedNight.JudgedNight, { isUsual, of }: Counted): Comparison => {
  const { scenario } = of
  const { name, passed, scored, source, suite } = scenario
  const rate = Counts.rateOf(of)
  const its = judged.table.nights.slice(0, -1).flatMap((night) => scenariosOf(night).get(keyOf(suite, name)) ?? [])
  const code = its.length === 0 ? "new" : its.at(-1)?.source === source ? "same" : "changed"
  const lack: Lack = { _tag: "FewRuns", needed: least, ...(rate.nights > 0 ? {} : { code }) }
  return JudgedNight.uncompared(judged, {
    figure: "pass rate",
    scenario: JudgedNight.nameOf(scenario),
    nights: rate.nights,
    now: JudgedNight.rate(passed, scored),
    ...(rate.nights > 0 ? { before: JudgedNight.rate(rate.scored - rate.failed, rate.scored) } : {}),
    lack,
    isUnusual: !isUsual
  })
}

/** True if the evidence that a scenario fails more is enough to say it. */
export const isEnough = ({ ratio }: Evidence.Evidence, level: number): boolean => ratio * level >= 1

/** The row of a scenario; `confirmState` is the conclusion from its extra trials. */
export const passRateRow = (
  judged: JudgedNight.JudgedNight,
  counted: Counted,
  level: number,
  confirmState: Confirm.State | undefined
): Comparison => {
  const { looks, of } = counted
  const { scenario } = of
  const [first] = looks
  if (first === undefined) return uncompared(judged, counted)
  const { confirm } = scenario
  const { passed = 0, scored = 0 } = confirm ?? {}
  const evidence = counted.evidence({ failed: scored - passed, scored })
  const isWorse = isEnough(evidence, level)
  const better = isWorse ? undefined : looks.find((look) => look.better <= level / independentTests.count)
  const shown = (isWorse ? evidence.spell : better) ?? first
  const chance = isWorse ? 1 / evidence.ratio : better && better.better * independentTests.count
  const hasPassed = first.before.failed < first.before.scored
  // more trials of the same night that pass as usual explain all but what chance hardly can
  const isUnusual =
    first.worse < (confirmState === "not confirmed" ? level : usual) || (!hasPassed && scenario.passed === 0)
  return {
    figure: "pass rate",
    scenario: JudgedNight.nameOf(scenario),
    verdict: isWorse ? "regressed" : better === undefined ? "no evidence" : "improved",
    isUnusual: !isWorse && isUnusual,
    now: JudgedNight.rate(shown.scored - shown.failed, shown.scored),
    before: JudgedNight.rate(shown.before.scored - shown.before.failed, shown.before.scored),
    window: shown.window,
    since: JudgedNight.since(judged, shown.from),
    nights: shown.before.nights,
    detectable: counted.detectable(level),
    ...(chance === undefined && first.worse < usual ? { isRare: true } : {}),
    ...(confirmState === undefined || confirm === undefined
      ? {}
      : {
          confirm: {
            passed: confirm.passed,
            scored: confirm.scored,
            outcome: confirmState === "more" ? "undecided" : confirmState
          }
        }),
    ...(chance === undefined ? {} : { pValue: Math.min(1, chance) })
  }
}
