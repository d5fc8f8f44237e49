import { median, shares } from "@webagent/statistics/Robust"
import type { TableScenario } from "./Table.ts"

/** A scenario in one night. */
export interface Part {
  readonly of: TableScenario
  /** Beyond what it usually has. */
  readonly more: number
  readonly deviation: number
}

/** What a night adds to scenarios. */
export interface NightLevel {
  /** NaN where no scenario tells it. */
  readonly ofAll: number
  /** What it adds to all but this one; 0 where no scenario tells it. */
  readonly besides: (one: TableScenario) => number
}

// two scenarios that are farther from each other than this many of their deviations do not differ by chance
const apart = 3

/** The other one of two scenarios, where one has changed: beside each other, both would have. */
const unchangedOf = (parts: ReadonlyArray<Part>): Part | undefined => {
  const [one, other] = parts
  if (one === undefined || other === undefined || parts.length > 2) return undefined
  const isChanged = Math.abs(one.more - other.more) > apart * Math.hypot(one.deviation, other.deviation)
  return isChanged ? (Math.abs(one.more) < Math.abs(other.more) ? one : other) : undefined
}

/**
 * What a night adds to scenarios; the steadiest of them know it best. Beside the others, a scenario differs by the sum of
 * two variances: its own, and that of the level of the others. Beside all it would be a part of its own measure: with a
 * share of h in the level, it would differ by (1 - h) of that.
 */
export const nightLevelOf = (parts: ReadonlyArray<Part>): NightLevel => {
  const each = shares(
    parts.map(({ more }) => more),
    parts.map(({ deviation }) => deviation)
  )
  const told = parts.map(({ more }, index) => (each[index] ?? 0) * more)
  const level = told.reduce((sum, one) => sum + one, 0)
  const unchanged = unchangedOf(parts)
  const others = new Map(
    parts.map((part, index) => {
      // no more than both have in common
      if (part === unchanged) return [part.of, median([0, ...parts.map(({ more }) => more)])]
      const share = each[index] ?? 0
      return [part.of, share < 1 ? (level - (told[index] ?? 0)) / (1 - share) : level]
    })
  )
  return { ofAll: parts.length === 0 ? Number.NaN : level, besides: (one) => others.get(one) ?? level }
}
