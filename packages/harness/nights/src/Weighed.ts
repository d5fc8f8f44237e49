import * as Shift from "./Shift.ts"

/** Nights of a line, how they differ by themselves, and how strict to be. */
export interface Weighed {
  readonly values: Shift.Values
  readonly weighing: Shift.Weighing
  /** The deviation of what is not known of the shift between two machines, of this scenario alone; 0 on one machine. */
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
