import type { Figure } from "@webagent/report/Comparison"
import { cost, duration } from "./Level.ts"
import { keyOf, type Night, type NightScenario } from "./Night.ts"
import { type Past, sameMachine, scenariosOf, standing } from "./Past.ts"

/** A night of a scenario, or of all together, in numbers: NaN where it has none. */
export interface Line {
  /** For each night, oldest first; tonight is the last. */
  readonly values: Float64Array
  /** True if a night may be part of the baseline. */
  readonly isBaseline: ReadonlyArray<boolean>
}

/** A scenario of tonight in the nights before. */
export interface TableScenario {
  readonly scenario: NightScenario
  readonly failed: Float64Array
  readonly scored: Float64Array
  /** The same of extra trials, 0 where there are none. They follow failures, so they are no part of a baseline. */
  readonly confirmFailed: Float64Array
  readonly confirmScored: Float64Array
  readonly isBaseline: ReadonlyArray<boolean>
  /** On all machines; only nights with the machine of tonight tell the level of tonight. */
  readonly duration: Line
  /** Deviation of the logarithms of a night's durations. */
  readonly deviation: Float64Array
  readonly cost: Line
}

/** Tonight and the nights that it is judged by. */
export interface Table {
  /** Oldest first; tonight is the last. */
  readonly nights: ReadonlyArray<Night>
  readonly scenarios: ReadonlyArray<TableScenario>
  /** Which nights share a machine: the same number, 0 for that of tonight. */
  readonly machines: ReadonlyArray<number>
  /** True if a night may be part of the whole night's baseline, by figure. */
  readonly isBaseline: (figure: Figure) => ReadonlyArray<boolean>
}

const empty = (length: number) => new Float64Array(length).fill(Number.NaN)

/** Builds a table of the figures of earlier nights and tonight. */
export const make = (past: Past, nights: ReadonlyArray<Night>, tonight: Night): Table => {
  const all = [...nights, tonight]
  const of = standing({
    ...past,
    nights: past.nights.filter(({ fingerprint }) => fingerprint.target === tonight.fingerprint.target)
  })
  const firsts = [tonight]
  const machines = all.map((night) => {
    const index = firsts.findIndex((first) => first === night || sameMachine(night, first))
    return index === -1 ? firsts.push(night) - 1 : index
  })
  const scenarios = tonight.scenarios.map((scenario): TableScenario => {
    const key = keyOf(scenario.suite, scenario.name)
    const { isMeasure, isOver } = of(scenario)
    const lines = {
      failed: empty(all.length),
      scored: empty(all.length),
      confirmFailed: new Float64Array(all.length),
      confirmScored: new Float64Array(all.length),
      duration: empty(all.length),
      deviation: empty(all.length),
      cost: empty(all.length)
    }
    const isBaseline = all.map((night, index) => {
      const its = night === tonight ? scenario : scenariosOf(night).get(key)
      if (its === undefined || its.source !== scenario.source) return false
      if (!isOver("pass rate", night.startedAt)) {
        lines.failed[index] = its.scored - its.passed
        lines.scored[index] = its.scored
        const { passed = 0, scored = 0 } = its.confirm ?? {}
        lines.confirmFailed[index] = scored - passed
        lines.confirmScored[index] = scored
      }
      if (!isOver("duration", night.startedAt)) {
        lines.duration[index] = duration.of(its) ?? Number.NaN
        lines.deviation[index] = its.durations?.deviation_log ?? Number.NaN
      }
      if (!isOver("cost", night.startedAt)) lines.cost[index] = cost.of(its) ?? Number.NaN
      return night !== tonight && isMeasure(night.startedAt)
    })
    return {
      scenario,
      failed: lines.failed,
      scored: lines.scored,
      confirmFailed: lines.confirmFailed,
      confirmScored: lines.confirmScored,
      isBaseline,
      duration: { values: lines.duration, isBaseline },
      deviation: lines.deviation,
      cost: { values: lines.cost, isBaseline }
    }
  })
  const whole = of(null)
  const isBaseline = (figure: Figure) =>
    all.map((night) => night !== tonight && whole.isMeasure(night.startedAt) && !whole.isOver(figure, night.startedAt))
  return { nights: all, scenarios, machines, isBaseline }
}
