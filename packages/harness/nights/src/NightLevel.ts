import { shares } from "@webagent/statistics/Robust"
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
  const others = new Map(
    parts.map(({ of }, index) => {
      const share = each[index] ?? 0
      return [of, share < 1 ? (level - (told[index] ?? 0)) / (1 - share) : level]
    })
  )
  return { ofAll: parts.length === 0 ? Number.NaN : level, besides: (one) => others.get(one) ?? level }
}
