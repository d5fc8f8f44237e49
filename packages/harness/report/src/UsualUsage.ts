import * as Schema from "effect/Schema"

/** The median of a figure of earlier runs, and the range of the middle 80 % of them. */
const UsualFigure = Schema.Struct({ low: Schema.Number, median: Schema.Number, high: Schema.Number })
export type UsualFigure = typeof UsualFigure.Type

/** Usage of at least five earlier runs, without their extra trials. */
export const UsualUsage = Schema.Struct({
  requests: UsualFigure,
  /** In USD: numbers to compare with, not to add up. */
  cost_usd: UsualFigure,
  /** Absent if too few of the runs have stored the duration of their extra trials. */
  duration_ms: Schema.optionalKey(UsualFigure)
})
export type UsualUsage = typeof UsualUsage.Type
