import { median, shares } from "@webagent/statistics/Robust"
import type { TableScenario } from "./Table.ts"

/** A scenario in one night. */
export interface Part {
  readonly of: TableScenario
  /** Beyond what it usually has. */
  readonly more: number
  readonly deviation: number
}

/** Level that a night adds to scenarios. */
export interface NightLevel {
  /** NaN where no scenario tells it. */
  readonly ofAll: number
  /** Level that it adds to all scenarios except this one; 0 if no scenario measures it. */
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
 * Estimates the level that a night adds to scenarios, with the most weight on the steadiest of them. Compared with the
 * others, a scenario's variance is the sum of two: its own, and that of the level of the others. Compared with all, it
 * would be part of its own baseline: with a share of h in the level, it would differ by only (1 - h) of that.
 */
export const nightLevelOf = (parts: ReadonlyArray<Part>): NightLevel => {
  const each = shares(
    parts.map(({ more }) => more),
    parts.map(({ deviation }) => deviation)
  )
  const weightedParts = parts.map(({ more }, index) => (each[index] ?? 0) * more)
  const level = weightedParts.reduce((sum, one) => sum + one, 0)
  const unchanged = unchangedOf(parts)
  const others = new Map(
    parts.map((part, index) => {
      // no more than both have in common
      if (part === unchanged) return [part.of, median([0, ...parts.map(({ more }) => more)])]
      const share = each[index] ?? 0
      return [part.of, share < 1 ? (level - (weightedParts[index] ?? 0)) / (1 - share) : level]
    })
  )
  return { ofAll: parts.length === 0 ? Number.NaN : level, besides: (one) => others.get(one) ?? level }
}
