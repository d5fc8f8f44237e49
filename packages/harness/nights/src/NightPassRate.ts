import type { JudgedRow } from "@webagent/report/NightJudgement"
import * as Discrete from "@webagent/statistics/Discrete"
import * as Interval from "@webagent/statistics/Interval"
import * as Power from "@webagent/statistics/Power"
import * as Stratified from "@webagent/statistics/Stratified"
import type { Night } from "./Night.ts"
import { least } from "./Past.ts"
import { failed, pooled, ratio, shareOf } from "./Shares.ts"
import * as Subject from "./Subject.ts"
import * as Windows from "./Windows.ts"
import * as Words from "./Words.ts"

const figure = "pass rate"

/** A fall of all scenarios together by less is the weather: many services fail a little oftener in some weeks. */
const tolerated = 0.02

/** A window of the whole night, by scenarios that are in both parts of it. */
interface WholeWindow {
  readonly size: number
  readonly since: string
  readonly strata: ReadonlyArray<Stratified.Stratum>
  /** Failures beyond what each scenario's own rate lets expect, as a share of the trials: of each night before, and now. */
  readonly before: ReadonlyArray<number>
  readonly nights: ReadonlyArray<number>
  readonly now: number
}

const wholeWindow = (
  { scenarios, standing }: Subject.Subject,
  { before, now, since, size }: Windows.Window<Night>
): WholeWindow | undefined => {
  const strata: Array<Stratified.Stratum> = []
  const excess = new Map<Night, { beyond: number; trials: number }>()
  const [isBefore, isNow] = [new Set(before), new Set(now)]
  for (const { earlier, scenario } of scenarios) {
    const of = standing(figure, scenario)
    const shares = earlier.flatMap(({ its, night }) => (its.scored === 0 ? [] : [{ night, share: shareOf(its) }]))
    const past = shares.filter(
      ({ night }) => isBefore.has(night) && of.isMeasure(night.startedAt) && !of.isOver(night.startedAt)
    )
    const recent = shares.filter(({ night }) => isNow.has(night))
    const tonight = now.at(-1)
    if (tonight !== undefined && scenario.scored > 0) recent.push({ night: tonight, share: shareOf(scenario) })
    if (past.length < least || recent.length === 0) continue
    const stratum = { now: pooled(recent.map(({ share }) => share)), before: pooled(past.map(({ share }) => share)) }
    strata.push(stratum)
    const rate = failed(stratum.before) / stratum.before.of
    for (const { night, share } of [...past, ...recent]) {
      const sum = excess.get(night) ?? { beyond: 0, trials: 0 }
      sum.beyond += failed(share) - rate * share.of
      sum.trials += share.of
      excess.set(night, sum)
    }
  }
  if (strata.length === 0) return undefined
  const of = (nights: ReadonlyArray<Night>) => nights.flatMap((night) => excess.get(night) ?? [])
  const share = (sums: ReadonlyArray<{ readonly beyond: number; readonly trials: number }>) =>
    sums.reduce((total, { beyond }) => total + beyond, 0) / sums.reduce((total, { trials }) => total + trials, 0)
  const each = (nights: ReadonlyArray<Night>) => of(nights).map((sum) => share([sum]))
  return { size, since, strata, before: each(before), nights: each(now), now: share(of(now)) }
}

/** By how many points fewer would have to pass: as nights differ by themselves, and as so many trials can show at all. */
const detectableOf = ({ before, strata }: WholeWindow, level: number): string | null => {
  const [now, past] = [pooled(strata.map((stratum) => stratum.now)), pooled(strata.map((stratum) => stratum.before))]
  // a fall that is just not tolerated is seen in one of two nights only
  const most = Math.ceil(now.of * (past.passed / past.of - tolerated)) - 1
  const rate = Power.detectableRate(now.of, past, level, most)
  if (rate === undefined) return null
  const points = Math.max(Interval.ofNextMean(before, 1, level).detectable, past.passed / past.of - rate)
  return points > 1 ? null : `${(100 * points).toFixed(1)} points`
}

/**
 * All scenarios together: by an exact test in strata, and by how much nights differ by themselves; both have to say so. A
 * false alarm is as rare as `doubt`.
 */
export const judge = (subject: Subject.Subject, doubt: number): JudgedRow => {
  const { nights, standing, tonight } = subject
  const points = Subject.points(
    standing(figure, null),
    nights,
    (night) => night.startedAt,
    (night) => night
  )
  const windows = Windows.of({ startedAt: tonight.startedAt, value: tonight }, points).flatMap((window) => {
    const whole = wholeWindow(subject, window)
    if (whole === undefined) return []
    const chance = (sign: 1 | -1) =>
      Interval.chanceOfMean(
        whole.before.map((value) => sign * value),
        whole.size,
        sign * whole.now
      )
    // in every night of the window: one bad night must not speak for three
    const passes = (sign: 1 | -1) => (whole.nights.every((excess) => sign * excess > tolerated) ? chance(sign) : 1)
    const failures = Stratified.failures(whole.strata)
    const now = Stratified.failedNow(whole.strata)
    return [
      {
        ...whole,
        worse: Math.max(Discrete.atLeast(failures, now), passes(1)),
        better: Math.max(Discrete.atMost(failures, now), passes(-1))
      }
    ]
  })
  const all = pooled(tonight.scenarios.map(shareOf))
  const first = windows[0]
  if (first === undefined) {
    const evidence = `${ratio(all)} trials passed; ${Words.nights(points.length)} before, and ${least} are needed`
    return {
      figure,
      scenario: null,
      window: 1,
      detectable: null,
      verdict: "not enough data",
      now: ratio(all),
      before: "",
      since: tonight.startedAt,
      nights: points.length,
      evidence
    }
  }
  const adjusted = (side: "worse" | "better") => Math.min(...windows.map((window) => window[side])) * windows.length
  const verdict = adjusted("worse") <= doubt ? "regressed" : adjusted("better") <= doubt ? "improved" : "no evidence"
  const side = verdict === "improved" ? "better" : "worse"
  const found =
    verdict === "no evidence" ? first : windows.reduce((best, window) => (window[side] < best[side] ? window : best))
  const rateOf = (part: "now" | "before") => {
    const { of, passed } = pooled(found.strata.map((stratum) => stratum[part]))
    return Words.percent(passed / of)
  }
  const detectable = detectableOf(first, doubt / windows.length)
  const said = `${rateOf("now")} of the trials passed ${Words.lately(found.size)}, ${rateOf("before")} of those of the same scenarios in ${Words.nights(found.before.length)} before`
  return {
    figure,
    scenario: null,
    verdict,
    now: rateOf("now"),
    before: rateOf("before"),
    window: found.size,
    since: found.since,
    nights: found.before.length,
    detectable,
    evidence:
      verdict === "no evidence"
        ? `${said}; ${detectable === null ? "no fall" : `${detectable} less`} would have been seen`
        : `${said}: by chance ${Words.rarely(adjusted(side))}`
  }
}
