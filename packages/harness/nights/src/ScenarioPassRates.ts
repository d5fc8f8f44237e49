import type { JudgedRow } from "@webagent/report/NightJudgement"
import * as Discrete from "@webagent/statistics/Discrete"
import * as FamilyWise from "@webagent/statistics/FamilyWise"
import * as Fisher from "@webagent/statistics/Fisher"
import * as Power from "@webagent/statistics/Power"
import type { NightScenario } from "./Night.ts"
import { least } from "./Past.ts"
import { failed, failures, pooled, ratio, shareOf } from "./Shares.ts"
import * as Subject from "./Subject.ts"
import * as Windows from "./Windows.ts"
import * as Words from "./Words.ts"

const figure = "pass rate"

/** A scenario with what its windows say. */
interface Looked {
  readonly scenario: NightScenario
  readonly points: number
  readonly windows: ReadonlyArray<{
    readonly size: number
    readonly since: string
    readonly now: Fisher.Share
    readonly before: Fisher.Share
    readonly nights: number
    /** The chance of so many failures or more, and of so few or fewer; 1 where it is not worth a word. */
    readonly worse: number
    readonly better: number
    readonly distribution: Discrete.Discrete
  }>
}

/** The greatest share of failures of so many nights in a row. */
const worstRun = (before: ReadonlyArray<Fisher.Share>, size: number) => {
  let worst = 0
  for (let start = 0; start + size <= before.length; start++) {
    const run = pooled(before.slice(start, start + size))
    worst = Math.max(worst, failed(run) / run.of)
  }
  return worst
}

const look = (subject: Subject.Subject, { earlier, scenario }: Subject.Subject["scenarios"][number]): Looked => {
  const points = Subject.points(
    subject.standing(figure, scenario),
    earlier,
    ({ night }) => night.startedAt,
    ({ its }) => (its.scored === 0 ? undefined : shareOf(its))
  )
  const tonight = shareOf(scenario)
  const windows = Windows.of({ startedAt: subject.tonight.startedAt, value: tonight }, points).map(
    ({ before: nightsBefore, now: nightsNow, since, size }) => {
      const [now, before] = [pooled(nightsNow), pooled(nightsBefore)]
      const distribution = Fisher.conditional(failures(now), failures(before))
      // what is well again tonight is not worse, and what was as bad before, through a whole night, is not new
      const isNews = failed(tonight) > 0 && failed(now) / now.of > worstRun(nightsBefore, size)
      return {
        size,
        since,
        now,
        before,
        nights: nightsBefore.length,
        worse: isNews ? Discrete.atLeast(distribution, failed(now)) : 1,
        better: tonight.passed > 0 ? Discrete.atMost(distribution, failed(now)) : 1,
        distribution
      }
    }
  )
  return { scenario, points: points.length, windows }
}

const memberOf = ({ windows }: Looked, side: "worse" | "better"): FamilyWise.Member => ({
  chance: Math.min(1, ...windows.map((window) => window[side])),
  attainable: windows.map(({ distribution }) => Discrete.tails(distribution, side === "worse" ? "atLeast" : "atMost"))
})

const detectableOf = ({ windows }: Looked, level: number): string | null => {
  for (const { before, now, size } of windows) {
    const rate = Power.detectableRate(now.of, before, level)
    if (rate !== undefined)
      return `a fall to ${Words.percent(rate)} ${size === 1 ? "" : `within ${Words.nights(size)} `}`.trimEnd()
  }
  return null
}

const none = { window: 1, detectable: null } as const

/** Each scenario of tonight; a false alarm in any of them is as rare as `doubt`. */
export const judge = (subject: Subject.Subject, doubt: number): ReadonlyArray<JudgedRow> => {
  const looked = subject.scenarios.flatMap((one) => (one.scenario.scored === 0 ? [] : [look(subject, one)]))
  const members = {
    worse: looked.map((one) => memberOf(one, "worse")),
    better: looked.map((one) => memberOf(one, "better"))
  }
  const worse = FamilyWise.discrete(members.worse)
  const better = FamilyWise.discrete(members.better)
  const level = FamilyWise.level(members.worse, doubt)
  return looked.map((one, index): JudgedRow => {
    const { points, scenario, windows } = one
    const of = { figure, scenario: { suite: scenario.suite, name: scenario.name } } as const
    const tonight = shareOf(scenario)
    const first = windows[0]
    if (first === undefined) {
      const evidence = `${ratio(tonight)} trials passed; ${Words.nights(points)} before, and ${least} are needed`
      const now = ratio(tonight)
      return {
        ...of,
        ...none,
        verdict: "not enough data",
        now,
        before: "",
        since: subject.tonight.startedAt,
        nights: points,
        evidence
      }
    }
    const side = (worse[index] ?? 1) <= doubt ? "regressed" : (better[index] ?? 1) <= doubt ? "improved" : "no evidence"
    const key = side === "improved" ? "better" : "worse"
    const found =
      side === "no evidence" ? first : windows.reduce((best, window) => (window[key] < best[key] ? window : best))
    const detectable = detectableOf(one, level)
    const said = `${ratio(found.now)} trials passed ${Words.lately(found.size)}, ${ratio(found.before)} in ${Words.nights(found.nights)} before`
    const chance = (side === "improved" ? better : worse)[index] ?? 1
    return {
      ...of,
      verdict: side,
      now: ratio(found.now),
      before: ratio(found.before),
      window: found.size,
      since: found.since,
      nights: found.nights,
      detectable,
      evidence:
        side === "no evidence"
          ? `${said}; ${detectable === null ? "no fall would have been seen" : `${detectable} would have been seen`}`
          : `${said}: by chance ${Words.rarely(chance)}`
    }
  })
}
