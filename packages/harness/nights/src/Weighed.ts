import { median } from "@webagent/statistics/Robust"
import { least, most } from "./Past.ts"
import * as Shift from "./Shift.ts"

/** Measured values, as logarithms of medians, without any adjustment. */
export interface Measured {
  readonly now: number
  readonly usual: number
  /** True if both are from tonight's machine. Otherwise, they are not compared. */
  readonly isHere: boolean
}

/** Nights of a line, how they differ by themselves, and how strict to be. */
export interface Weighed {
  readonly values: Shift.Values
  readonly weighing: Shift.Weighing
  /** The deviation of what is not known of the shift between two machines, of this scenario alone; 0 on one machine. */
  readonly doubt: number
  /** The level of significance of one way to look. */
  readonly level: number
  /** Values measured in the nights of a shift and before them; without a shift, those of tonight. */
  readonly measured: (shift: Pick<Shift.Shift, "baseline" | "before" | "from"> | undefined) => Measured
}

/** Reads what was measured from the values of all nights. */
export const measuredIn =
  ({ isBaseline, nights, values }: Shift.Values, isHere: (night: number) => boolean): Weighed["measured"] =>
  (shift) => {
    const from = shift?.from ?? nights.at(-1) ?? 0
    const all = Array.from(nights.keys())
    const past = all.filter((index) => isBaseline[index] === true && (nights[index] ?? 0) < from)
    const length = shift?.before.length ?? most
    const before = shift?.baseline === "reference" ? past.slice(0, length) : past.slice(-length)
    const own = (some: ReadonlyArray<number>) => some.filter((index) => isHere(nights[index] ?? 0))
    const enough = own(before).length >= least
    const middle = (some: ReadonlyArray<number>) => median(some.map((index) => values[index] ?? 0))
    return {
      now: middle(own(all.filter((index) => (nights[index] ?? 0) >= from))),
      usual: middle(enough ? own(before) : before),
      isHere: enough
    }
  }

/**
 * True if the measured values don't refute a change by more than the tolerance: an increase if the sign is 1, and a
 * decrease if it is -1.
 */
export const isMeasured = ({ isHere, now, usual }: Measured, sign: 1 | -1, tolerated = 0): boolean =>
  !isHere || sign * (now - usual) > tolerated

/**
 * A significant shift for the worse, else one for the better; undefined if there is none. What the night seems to add to the
 * other scenarios may be wrong, so none is a shift that the measured values refute.
 */
export const shiftOf = ({ level, measured, values, weighing }: Weighed) => {
  for (const [sign, verdict] of [
    [1, "regressed"],
    [-1, "improved"]
  ] as const) {
    // the fewest nights that show it
    const earliest = Shift.shiftsOf(values, weighing, sign).find(
      (shift) => shift.chance <= level && isMeasured(measured(shift), sign)
    )
    if (earliest !== undefined) return { verdict, found: earliest } as const
  }
  return undefined
}
