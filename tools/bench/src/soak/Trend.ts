import { mean } from "@webagent/statistics/Quantile"
import { median } from "@webagent/statistics/Robust"
import * as StudentT from "@webagent/statistics/StudentT"

/** Measurement at a time. */
export interface Point {
  readonly at_s: number
  readonly value: number
}

/** Slope of a measurement, with its confidence interval. */
export interface Trend {
  /** The mean over all blocks. */
  readonly mean: number
  readonly perHour: number
  /** The 95 % interval of `perHour`. */
  readonly low: number
  readonly high: number
  /** Blocks of time that it rests on. */
  readonly blocks: number
  /** Correlation between the residuals of neighboring blocks, from -1 to 1. */
  readonly alike: number
}

/** The middle of the points in stretches of a length, so that a moment's stall is no trend; one without points is left out. */
export const blocksOf = (points: ReadonlyArray<Point>, block_s: number): ReadonlyArray<Point> => {
  const begin_s = Math.min(...points.map(({ at_s }) => at_s))
  const blocks = Map.groupBy(points, ({ at_s }) => Math.floor((at_s - begin_s) / block_s))
  return [...blocks.values()].map((inside) => ({
    at_s: mean(inside.map(({ at_s }) => at_s)),
    value: median(inside.map(({ value }) => value))
  }))
}

/** The fewest blocks that a slope is taken from. */
const fewest = 6

/**
 * The slope of a straight line through the middles of blocks of time, by least squares, with Student's interval over the
 * blocks. What was measured a moment later is like what was measured before: that is why blocks, and where even what is
 * left of neighbouring blocks is alike, they count as fewer than they are (Santer and others, 2000: n(1-r)/(1+r)).
 * Undefined of fewer blocks than six.
 */
export const trendOf = (points: ReadonlyArray<Point>, block_s: number): Trend | undefined => {
  const blocks = points.length === 0 ? [] : blocksOf(points, block_s)
  const count = blocks.length
  if (count < fewest) return undefined
  const middle = { at_s: mean(blocks.map(({ at_s }) => at_s)), value: mean(blocks.map(({ value }) => value)) }
  const spread = blocks.reduce((sum, { at_s }) => sum + (at_s - middle.at_s) ** 2, 0)
  const slope = blocks.reduce((sum, { at_s, value }) => sum + (at_s - middle.at_s) * (value - middle.value), 0) / spread
  const left = blocks.map(({ at_s, value }) => value - middle.value - slope * (at_s - middle.at_s))
  const squares = left.reduce((sum, rest) => sum + rest ** 2, 0)
  const products = left.slice(1).reduce((sum, rest, index) => sum + rest * (left[index] ?? 0), 0)
  const alike = squares === 0 ? 0 : products / squares
  const effective = Math.max(5, count * Math.min(1, (1 - alike) / (1 + alike)))
  const reach = StudentT.quantile(0.975, effective - 2) * Math.sqrt(squares / (effective - 2) / spread)
  const hour_s = 3600
  return {
    mean: middle.value,
    perHour: slope * hour_s,
    low: (slope - reach) * hour_s,
    high: (slope + reach) * hour_s,
    blocks: count,
    alike
  }
}
