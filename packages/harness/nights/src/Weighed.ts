import type { Figure } from "@webagent/report/NightJudgement"
import { middleMean } from "@webagent/statistics/Robust"
import type { JudgedNight } from "./JudgedNight.ts"
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
export const shiftOf = ({ level, values, weighing }: Weighed, shortest = 1) => {
  for (const [sign, verdict] of [
    [1, "regressed"],
    [-1, "improved"]
  ] as const) {
    // the fewest nights that show it
    const found = Shift.shiftsOf(values, weighing, sign).find(
      (shift) => shift.chance <= level && (sign === -1 || shift.window >= shortest)
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
