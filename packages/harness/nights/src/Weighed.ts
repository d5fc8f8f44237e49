import type { Figure } from "@webagent/report/NightJudgement"
import { middleMean } from "@webagent/statistics/Robust"
import { type JudgedNight, day } from "./JudgedNight.ts"
import { independentTests } from "./FalseAlarmBudget.ts"
import * as Season from "./Season.ts"
import * as Shift from "./Shift.ts"

/** Nights of a line, how they differ by themselves, and how strict to be. */
export interface Weighed {
  readonly values: Shift.Values
  readonly weighing: Shift.Weighing
  /** The deviation of what a new machine adds to one scenario and not to another; 0 on a known one. */
  readonly doubt: number
  /** The level of significance of one way to look. */
  readonly level: number
}

/** A significant shift for the worse in `shortest` nights or more, else one for the better. */
export const shiftOf = ({ level, values, weighing }: Weighed, isNight: boolean, shortest = 1) => {
  const past = Shift.baselineOf(values)
  for (const [sign, verdict] of [
    [1, "regressed"],
    [-1, "improved"]
  ] as const) {
    // the fewest nights that show it
    const found = Shift.shiftsOf(values, weighing, sign).find(
      (shift) =>
        shift.chance <= level &&
        (sign === -1 || shift.window >= shortest) &&
        !(isNight && Shift.isRecurring(shift, past, sign))
    )
    if (found !== undefined) return { verdict, found } as const
  }
  return undefined
}

/** The night of all scenarios together, of a figure whose parts are differences from what each scenario usually has. */
export const nightValues = ({ table }: JudgedNight, figure: Figure, apart: ReadonlyArray<ReadonlyArray<number>>) =>
  Shift.valuesOf({
    values: Float64Array.from(apart, (all) => (all.length === 0 ? Number.NaN : middleMean(all))),
    isBaseline: table.isBaseline(figure)
  })

// what is known of nights before the first of them weighs as much as this many
const prior = 2

/**
 * Without what the weekday adds, and with how much the nights differ: `usual` is how much they do as a rule. `everywhere`
 * has the nights with other machines, too: they say as much of weekdays and of how much nights differ.
 */
export const weighNight = (
  judged: JudgedNight,
  values: Shift.Values,
  everywhere: Shift.Values,
  {
    doubt,
    enough,
    tolerated,
    usual
  }: {
    readonly doubt: number
    readonly usual: number
    readonly tolerated: number
    readonly enough: number
  }
): Weighed => {
  const dayOf = (index: number) => day(judged, index)
  const week = Season.ofWeek(
    Shift.baselineOf(everywhere, Infinity),
    everywhere.nights.filter((_, index) => everywhere.isBaseline[index] === true).map(dayOf)
  )
  const without = (of: Shift.Values): Shift.Values => ({
    ...of,
    values: of.values.map((value, index) => value - (week[dayOf(of.nights[index] ?? 0) % 7] ?? 0))
  })
  const seasonless = without(values)
  const flat = Shift.baselineOf(without(everywhere))
  const freedom = flat.length - 2
  const scale = Math.sqrt((prior * usual ** 2 + freedom * Shift.nightly(flat) ** 2) / (prior + freedom))
  return {
    values: seasonless,
    doubt: 0,
    level: doubt / independentTests.level,
    weighing: {
      scale,
      freedom: prior + freedom,
      between: Shift.variogram([{ values: flat, scale }]),
      tolerated,
      enough
    }
  }
}
