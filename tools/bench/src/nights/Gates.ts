import { judge } from "@webagent/nights/Judge"
import { type Night, withId } from "@webagent/nights/Night"
import type { Past } from "@webagent/nights/Past"
import type { JudgedRow } from "@webagent/report/NightJudgement"
import type { Change, SimulatedNight } from "./World.ts"
import { fallen } from "./World.ts"

/** What a gate says of a night: every kind of change that it sees. */
export type Alarms = ReadonlySet<Change | "other">

/** Something that says of a night whether it is worse; it keeps what it needs of the nights before. */
export interface Gate {
  readonly judge: (night: SimulatedNight) => Alarms
  /** Takes a night as it is. */
  readonly remember: (night: SimulatedNight) => void
}

const changeOf = ({ figure, scenario }: JudgedRow): Change | "other" => {
  if (figure === "leaked browsers") return "leaking"
  if (scenario !== null)
    return figure === "pass rate" && scenario.name === `scenario ${fallen}` ? "one scenario" : "other"
  if (figure === "duration") return "slower"
  return figure === "cost" ? "costlier" : "flakier"
}

/** The judge that the harness ships, with the history that it would write. */
export const ours = (seen?: (rows: ReadonlyArray<JudgedRow>) => void): Gate => {
  const nights: Array<Night> = []
  return {
    remember: ({ night }) => nights.push(night),
    judge: ({ night }) => {
      const past: Past = { nights, accepted: [] }
      const { rows } = judge(past, night)
      seen?.(rows)
      const regressed = rows.filter(({ verdict }) => verdict === "regressed")
      const { id: _, ...content } = night
      const worse = regressed.map(({ figure, scenario, since }) => ({ figure, scenario, since }))
      nights.push(withId(worse.length === 0 ? content : { ...content, regressed: worse }))
      return new Set(regressed.map(changeOf))
    }
  }
}

const total = ({ scenarios }: Night, count: (scenario: Night["scenarios"][number]) => number) =>
  scenarios.reduce((sum, scenario) => sum + count(scenario), 0)

const figures = (night: Night) => ({
  passRate: total(night, ({ passed }) => passed) / total(night, ({ scored }) => scored),
  duration: total(night, ({ spent_ms }) => spent_ms) / total(night, ({ passed }) => passed),
  cost: Number(night.cost_usd) / total(night, ({ trials }) => trials)
})

const margin = 0.1

/** A gate that knows the last night only. */
const besideLast = (judge: (now: SimulatedNight, last: SimulatedNight) => Alarms) => (): Gate => {
  let last: SimulatedNight | undefined
  return {
    remember: (night) => (last = night),
    judge: (night) => {
      const alarms = last === undefined ? new Set<Change>() : judge(night, last)
      last = night
      return alarms
    }
  }
}

/** What most people begin with: 10 % worse than last night is worse. */
export const againstLastNight = besideLast(({ night }, { night: last }) => {
  const alarms = new Set<Change | "other">()
  const [now, then] = [figures(night), figures(last)]
  if (now.duration > then.duration * (1 + margin)) alarms.add("slower")
  if (now.cost > then.cost * (1 + margin)) alarms.add("costlier")
  if (now.passRate < then.passRate * (1 - margin)) alarms.add("flakier")
  for (const [index, scenario] of night.scenarios.entries()) {
    const before = last.scenarios[index]
    if (before === undefined) continue
    const isWorse = scenario.passed / scenario.scored < (before.passed / before.scored) * (1 - margin)
    if (isWorse) alarms.add(index === fallen ? "one scenario" : "other")
  }
  if (total(night, ({ leaks }) => leaks) > 0) alarms.add("leaking")
  return alarms
})

/** The same of whole nights alone. */
export const wholeAgainstLastNight = besideLast(({ night }, { night: last }) => {
  const alarms = new Set<Change>()
  const [now, then] = [figures(night), figures(last)]
  if (now.duration > then.duration * (1 + margin)) alarms.add("slower")
  if (now.cost > then.cost * (1 + margin)) alarms.add("costlier")
  if (now.passRate < then.passRate * (1 - margin)) alarms.add("flakier")
  if (total(night, ({ leaks }) => leaks) > 0) alarms.add("leaking")
  return alarms
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
export const onRequests = besideLast(
  (now, last) => new Set<Change>(mannWhitney(now.requests, last.requests) > critical ? ["slower"] : [])
)
