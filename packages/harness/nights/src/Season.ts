import * as Robust from "@webagent/statistics/Robust"
import { mean } from "@webagent/statistics/Quantile"

const leastOfDay = 3
const around = 7

/**
 * What each weekday adds, where the nights show that it does: as much of it as is not by chance (empirical Bayes), so that
 * where there is no season it is almost nothing. `days` are whole numbers that count days.
 */
export const ofWeek = (values: ReadonlyArray<number>, days: ReadonlyArray<number>): ReadonlyArray<number> => {
  const none = Array.from({ length: 7 }, () => 0)
  if (values.length < leastOfDay * 7) return none
  // beside the week around it, so that a drift is no season
  const apart = values.map(
    (value, index) => value - mean(values.slice(Math.max(0, index - around), index + around + 1))
  )
  const byDay = none.map((_, day) => apart.filter((_, index) => (days[index] ?? 0) % 7 === day))
  if (byDay.some((ofDay) => ofDay.length < leastOfDay)) return none
  const middles = byDay.map(Robust.middleMean)
  const noise = Robust.deviation(
    byDay.flatMap((ofDay, day) => ofDay.map((value) => value - (middles[day] ?? 0))),
    0
  )
  const each = values.length / 7
  const spread = middles.reduce((sum, middle) => sum + middle ** 2, 0) / 6
  const share = Math.max(0, 1 - noise ** 2 / each / spread)
  return Number.isNaN(share) ? none : middles.map((middle) => share * middle)
}
