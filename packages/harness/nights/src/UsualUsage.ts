import type * as Usual from "@webagent/report/UsualUsage"
import { sorted } from "@webagent/statistics/Quantile"
import { isComplete, type Night, plannedOf } from "./Night.ts"
import { least, most } from "./Past.ts"

/** The middle of some figures, and the range of the middle 80 %: undefined if there are too few. */
const usualOf = (figures: ReadonlyArray<number>): Usual.UsualFigure | undefined => {
  const all = sorted(figures)
  const at = (index: number) => all[index] ?? 0
  return all.length < least
    ? undefined
    : {
        low: at(Math.floor(all.length * 0.1)),
        median: at(all.length >> 1),
        high: at(Math.ceil(all.length * 0.9) - 1)
      }
}

/**
 * The usage of the nights that one is compared with, without extra trials. A partial night took less and cost less than
 * others, so it is not compared.
 */
export const of = (nights: ReadonlyArray<Night>, tonight: Night): Usual.UsualUsage | undefined => {
  if (!isComplete(tonight)) return undefined
  const all = nights.slice(-most).map(plannedOf)
  const requests = usualOf(all.map((night) => night.requests))
  const cost_usd = usualOf(all.map((night) => Number(night.cost_usd)))
  // nights of an older version don't have the time of their extra trials
  const duration_ms = usualOf(all.flatMap((night) => night.duration_ms ?? []))
  return requests === undefined || cost_usd === undefined
    ? undefined
    : { requests, cost_usd, ...(duration_ms === undefined ? {} : { duration_ms }) }
}
