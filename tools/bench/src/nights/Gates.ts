import * as Judge from "@webagent/nights/Judge"
import { judgeNight } from "@webagent/findings/NightFindings"
import { keyOf, type Night, type NightScenario } from "@webagent/nights/Night"
import { nightlySetting } from "@webagent/nights/NightlySetting"
import type { Past } from "@webagent/nights/Past"
import type { Figure } from "@webagent/report/Comparison"
import { deviation, mean } from "@webagent/statistics/Quantile"
import { middleMean } from "@webagent/statistics/Robust"
import * as StudentT from "@webagent/statistics/StudentT"
import type { SimulatedNight } from "./World.ts"

/** Something that a gate calls worse. */
export interface Alarm {
  readonly figure: Figure
  /** Of the whole night where it is null. */
  readonly scenario: string | null
}

/** Verdict of a gate on a night. */
export interface GateResult {
  readonly alarms: ReadonlyArray<Alarm>
  /** True if the night fails. */
  readonly red: boolean
  /** True if the night has warnings and doesn't fail. */
  readonly hasWarnings: boolean
  /** Trials beyond the planned ones. */
  readonly confirmTrials: number
}

/** Says of a night whether it is worse, and keeps what it needs of the nights before. */
export interface Gate {
  readonly judge: (night: SimulatedNight) => GateResult
  /** Takes a night as it is. */
  readonly remember: (night: SimulatedNight) => void
}

const resultOf = (alarms: ReadonlyArray<Alarm>, red = alarms.length > 0): GateResult => ({
  alarms,
  red,
  hasWarnings: false,
  confirmTrials: 0
})

/** Gives the suspects their extra trials, as many at once as the runner does; all of them take equally long. */
const confirmed = (past: Past, { more, night }: SimulatedNight): { readonly night: Night; readonly trials: number } => {
  const suspects = Judge.suspects(past, night).map((suspect) => ({
    suspect,
    weighed: suspect.weigh({ passed: 0, scored: 0 }),
    passed: 0,
    scored: 0,
    logs: new Array<number>()
  }))
  type One = (typeof suspects)[number]
  const so = ({ logs, passed, scored }: One) => ({
    passed,
    scored,
    ...(logs.length === 0 ? {} : { middle_log: middleMean(logs) })
  })
  const atOnce = Math.min(Judge.mostAtOnce, night.fingerprint.concurrency)
  let left = nightlySetting.confirm
  for (let isOpen = true; isOpen && left > 0;) {
    const busy: Array<One> = []
    while (busy.length < Math.min(left, atOnce)) {
      const next = Judge.nextOf(suspects, nightlySetting.confirm - left + busy.length)
      if (next === undefined) break
      busy.push(next)
      next.weighed = next.suspect.weigh(so(next), busy.filter((one) => one === next).length)
    }
    isOpen = busy.length > 0
    left -= busy.length
    for (const one of busy) {
      const trial = more(one.suspect.name)
      one.scored++
      if (trial.passed) {
        one.passed++
        one.logs.push(Math.log(trial.duration_ms))
      }
    }
    for (const one of busy) one.weighed = one.suspect.weigh(so(one))
  }
  const byKey = new Map(suspects.map((one) => [keyOf(one.suspect.suite, one.suspect.name), one]))
  const scenarios = night.scenarios.map((scenario): NightScenario => {
    const one = byKey.get(keyOf(scenario.suite, scenario.name))
    return one === undefined || one.scored === 0
      ? scenario
      : { ...scenario, confirm: { figure: one.suspect.figure, ...so(one) } }
  })
  return { night: { ...night, scenarios }, trials: nightlySetting.confirm - left }
}

/** The judge that the harness ships, with the history that it would write. */
export const ours = (isConfirming: boolean): Gate => {
  const nights: Array<Night> = []
  return {
    remember: ({ night }) => nights.push(night),
    judge: (simulated) => {
      const past: Past = { nights, accepted: [] }
      const { night, trials } = isConfirming ? confirmed(past, simulated) : { night: simulated.night, trials: 0 }
      const { judgement, status } = judgeNight(past, night)
      const regressed = judgement.rows.filter(({ verdict }) => verdict === "regressed")
      nights.push({
        ...night,
        regressed: regressed.map(({ figure, scenario, since }) => ({ figure, scenario, since }))
      })
      const alarms = regressed.map(({ figure, scenario }) => ({ figure, scenario: scenario?.name ?? null }))
      return { ...resultOf(alarms, status === "failed"), hasWarnings: status === "warning", confirmTrials: trials }
    }
  }
}

const total = ({ scenarios }: Night, count: (scenario: NightScenario) => number) =>
  scenarios.reduce((sum, scenario) => sum + count(scenario), 0)

const figures = (night: Night) => ({
  passRate: total(night, ({ passed }) => passed) / total(night, ({ scored }) => scored),
  duration: total(night, ({ spent_ms }) => spent_ms) / total(night, ({ passed }) => passed),
  cost: Number(night.cost_usd) / total(night, ({ trials }) => trials)
})

const margin = 0.1

/** A gate that knows the last night only. */
const besideLast = (judge: (now: SimulatedNight, last: SimulatedNight) => ReadonlyArray<Alarm>) => (): Gate => {
  let last: SimulatedNight | undefined
  return {
    remember: (night) => (last = night),
    judge: (night) => {
      const alarms = last === undefined ? [] : judge(night, last)
      last = night
      return resultOf(alarms)
    }
  }
}

const wholeNight = (night: Night, last: Night): ReadonlyArray<Alarm> => {
  const [now, then] = [figures(night), figures(last)]
  const worse: ReadonlyArray<readonly [Figure, boolean]> = [
    ["duration", now.duration > then.duration * (1 + margin)],
    ["cost", now.cost > then.cost * (1 + margin)],
    ["pass rate", now.passRate < then.passRate * (1 - margin)],
    ["leaked browsers", total(night, ({ leaks }) => leaks) > 0]
  ]
  return worse.flatMap(([figure, isWorse]) => (isWorse ? [{ figure, scenario: null }] : []))
}

/** Gate that most people start with: 10 % worse than last night is worse. */
export const wholeAgainstLastNight = besideLast(({ night }, { night: last }) => wholeNight(night, last))

/** The same, of each scenario's pass rate and duration too. */
export const againstLastNight = besideLast(({ night }, { night: last }) => {
  const before = new Map(last.scenarios.map((scenario) => [scenario.name, scenario]))
  const each = night.scenarios.flatMap((now): ReadonlyArray<Alarm> => {
    const then = before.get(now.name)
    if (then === undefined) return []
    const isFlakier = now.passed / now.scored < (then.passed / then.scored) * (1 - margin)
    const isSlower = (now.durations?.median_ms ?? 0) > (then.durations?.median_ms ?? Infinity) * (1 + margin)
    return [
      ...(isFlakier ? [{ figure: "pass rate", scenario: now.name } as const] : []),
      ...(isSlower ? [{ figure: "duration", scenario: now.name } as const] : [])
    ]
  })
  return [...wholeNight(night, last), ...each]
})

// two-sided, as it is commonly asked; 5 %
const critical = 1.959_964

/** The standard score of one sample's ranks among those of both; of continuous numbers there are no ties. */
export const mannWhitney = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): number => {
  const [a, b] = [Float64Array.from(one).toSorted(), Float64Array.from(other).toSorted()]
  let [below, wins] = [0, 0]
  for (const value of a) {
    while (below < b.length && (b[below] ?? 0) < value) below++
    wins += below
  }
  return (wins - (a.length * b.length) / 2) / Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12)
}

/** A rank test on the requests of this night and the last, as if requests knew nothing of their night. */
export const onRequests = besideLast((now, last) =>
  mannWhitney(now.requests(), last.requests()) > critical ? [{ figure: "duration", scenario: null }] : []
)

const longest = 60
const leastOfPart = 3
const certain = 0.001

/**
 * True if the greatest change in a series is in its last nights, and upward: a t test at each place (the method of
 * Hunter).
 */
const changesUp = (series: ReadonlyArray<number>): boolean => {
  let [chance, place, up] = [1, 0, false]
  for (let cut = leastOfPart; cut <= series.length - leastOfPart; cut++) {
    const [before, after] = [series.slice(0, cut), series.slice(cut)]
    const shift = mean(after) - mean(before)
    const error = Math.hypot(deviation(before) / Math.sqrt(before.length), deviation(after) / Math.sqrt(after.length))
    const its = 2 * StudentT.above(Math.abs(shift) / error, series.length - 2)
    if (its < chance) [chance, place, up] = [its, cut, shift > 0]
  }
  return chance < certain && up && place >= series.length - 2 * leastOfPart
}

/** Change points in the series of the whole night, and of each scenario's pass rate and duration. */
export const changePoints = (): Gate => {
  const series = new Map<string, { readonly alarm: Alarm; readonly values: Array<number> }>()
  const add = (alarm: Alarm, value: number | undefined) => {
    if (value === undefined || Number.isNaN(value)) return
    const key = JSON.stringify(alarm)
    const recent = series.get(key) ?? { alarm, values: [] }
    series.set(key, recent)
    recent.values.push(value)
    if (recent.values.length > longest) recent.values.shift()
  }
  const remember = ({ night }: SimulatedNight) => {
    const { cost, duration, passRate } = figures(night)
    add({ figure: "duration", scenario: null }, Math.log(duration))
    add({ figure: "cost", scenario: null }, Math.log(cost))
    add({ figure: "pass rate", scenario: null }, -passRate)
    for (const { durations, name, passed, scored } of night.scenarios) {
      add({ figure: "pass rate", scenario: name }, -passed / scored)
      add({ figure: "duration", scenario: name }, durations && Math.log(durations.median_ms))
    }
  }
  return {
    remember,
    judge: (night) => {
      remember(night)
      const alarms = [...series.values()].flatMap(({ alarm, values }) => (changesUp(values) ? [alarm] : []))
      return resultOf(alarms)
    }
  }
}
