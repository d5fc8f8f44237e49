import { mean } from "@webagent/statistics/Quantile"
import { deviation, median } from "@webagent/statistics/Robust"
import * as StudentT from "@webagent/statistics/StudentT"
import type { Line } from "./Table.ts"

/** Numbers of latest nights that are tested together: one detects a large change, many detect a small one. */
export const windows = [1, 3, 8] as const

/** The last month, the nights just before, and the first month since the start or the last accepted change. */
export const baselines = ["month", "lately", "reference"] as const

/** Baseline of a window. */
export type Baseline = (typeof baselines)[number]

const lengths = { lately: 7, month: 30, reference: 30 } as const
// the first month is a baseline of its own once half of a second one has passed
const needed = { month: 2 * lengths.lately, reference: 1.5 * lengths.reference } as const
const farthest = 30
const remembered = 60
const byChance = 1.5

/** The nights of a line that have a value, oldest first; tonight is the last. */
export interface Values {
  readonly values: ReadonlyArray<number>
  readonly isBaseline: ReadonlyArray<boolean>
  /** Position of each among all nights. */
  readonly nights: ReadonlyArray<number>
}

/** The values of a line; undefined where tonight has none. */
export const valuesOf = ({ isBaseline, values }: Line): Values | undefined => {
  if (Number.isNaN(values.at(-1))) return undefined
  const nights = Array.from(values.keys()).filter((index) => !Number.isNaN(values[index]))
  return {
    nights,
    values: nights.map((index) => values[index] ?? 0),
    isBaseline: nights.map((index) => isBaseline[index] === true)
  }
}

/** The values of some nights, by their place among all nights. */
export const only = ({ isBaseline, nights, values }: Values, isOf: (night: number) => boolean): Values => {
  const kept = Array.from(nights.keys()).filter((index) => isOf(nights[index] ?? 0))
  return {
    nights: kept.map((index) => nights[index] ?? 0),
    values: kept.map((index) => values[index] ?? 0),
    isBaseline: kept.map((index) => isBaseline[index] === true)
  }
}

/** The values of the last baseline nights, oldest first. */
export const baselineOf = ({ isBaseline, values }: Values, most = remembered): ReadonlyArray<number> =>
  values.filter((_, index) => isBaseline[index] === true).slice(-most)

/** The deviation of one night, by how much neighbours differ: a change of the level counts once. */
export const nightly = (values: ReadonlyArray<number>): number =>
  deviation(
    values.slice(1).map((value, index) => value - (values[index] ?? 0)),
    0
  ) / Math.SQRT2

/**
 * Difference between two nights by the number of nights between them: half of the mean square, where 1 is that of
 * neighbors (a variogram). It grows if durations follow the previous night, or drift.
 */
export const variogram = (
  lines: ReadonlyArray<{ readonly values: ReadonlyArray<number>; readonly scale: number }>
): Float64Array => {
  const roots = new Float64Array(farthest + 1)
  const counts = new Float64Array(farthest + 1)
  for (const { scale, values } of lines) {
    for (let lag = 1; lag <= farthest; lag++) {
      let sum = 0
      for (let index = lag; index < values.length; index++) {
        sum += Math.sqrt(Math.abs((values[index] ?? 0) - (values[index - lag] ?? 0)) / scale)
      }
      roots[lag] = (roots[lag] ?? 0) + sum
      counts[lag] = (counts[lag] ?? 0) + Math.max(0, values.length - lag)
    }
  }
  const between = new Float64Array(farthest + 1)
  let square = 1
  // distances by powers of two, because a few nights say little of one distance
  for (let first = 1; first <= farthest; first *= 2) {
    const last = Math.min(farthest, 2 * first - 1)
    let [sum, count] = [0, 0]
    for (let lag = first; lag <= last; lag++) {
      sum += roots[lag] ?? 0
      count += counts[lag] ?? 0
    }
    if (count >= 20) {
      // the mean root, which one outlier moves little (Cressie and Hawkins), less what it is too great by chance
      square = Math.max(1, (sum / count) ** 4 / (0.457 + 0.494 / count) / 2 - byChance / Math.sqrt(count))
    }
    between.fill(square, first, last + 1)
  }
  return between
}

const varianceOf = (between: Float64Array, window: number, before: number, baseline: Baseline): number => {
  const at = (lag: number) => between[Math.min(farthest, lag)] ?? 1
  const within = (length: number) => {
    let sum = 0
    for (let lag = 1; lag < length; lag++) sum += 2 * (length - lag) * at(lag)
    return sum / length ** 2
  }
  let across = 0
  for (let now = 0; now < window; now++) {
    for (let then = 0; then < before; then++) across += at(baseline === "reference" ? farthest : now + then + 1)
  }
  // a median is less exact than a mean
  return (2 * across) / (window * before) - within(window) - within(before) + 0.5 / before
}

const variances = new WeakMap<Float64Array, Map<string, number>>()

/** The variance of a window's mean minus its baseline's median, where one night has 1. */
export const variance = (between: Float64Array, window: number, before: number, baseline: Baseline): number => {
  const variancesOf = variances.get(between) ?? new Map<string, number>()
  variances.set(between, variancesOf)
  const key = `${window} ${before} ${baseline}`
  const variance = variancesOf.get(key) ?? varianceOf(between, window, before, baseline)
  variancesOf.set(key, variance)
  return variance
}

/** Variation between nights, and the tolerance. */
export interface Weighing {
  /** The deviation of one night, and how many degrees of freedom it is known with. */
  readonly scale: number
  readonly freedom: number
  readonly between: Float64Array
  /** A smaller shift is not reported; compared with the first month, twice as much. */
  readonly tolerated: number
  /** This many nights before tell a level. */
  readonly enough: number
}

const neededOf = (baseline: Baseline, enough: number) => (baseline === "lately" ? enough : needed[baseline])

/** The last nights beside some nights before. */
export interface Shift {
  readonly window: number
  readonly baseline: Baseline
  /** The first night of the window, among all nights. */
  readonly from: number
  readonly now: ReadonlyArray<number>
  readonly before: ReadonlyArray<number>
  readonly level: number
  /** By how much the window is above the level, or below where the sign is -1. */
  readonly shift: number
  readonly error: number
  /** The chance of this shift or more; 1 where it is tolerated or tonight by itself does not show it. */
  readonly chance: number
}

/** The greatest counts as the second greatest: one slow night must not speak for three. */
export const cautious = (numbers: ReadonlyArray<number>): ReadonlyArray<number> => {
  const [first = 0, second = first] = numbers.toSorted((one, other) => other - one)
  const place = numbers.indexOf(first)
  return numbers.map((number, index) => (index === place ? second : number))
}

const toleratedBeside = (baseline: Baseline, tolerated: number) => (baseline === "reference" ? 2 : 1) * tolerated

/** Every window beside every baseline that has enough nights. */
export const shiftsOf = (
  { isBaseline, nights, values }: Values,
  { between, enough, freedom, scale, tolerated }: Weighing,
  sign: 1 | -1
): ReadonlyArray<Shift> => {
  const tonight = values.at(-1) ?? 0
  const past = values.filter((_, index) => isBaseline[index] === true)
  return windows.flatMap((window) => {
    const cut = values.length - window
    if (cut < enough) return []
    const all = past.slice(0, past.length - isBaseline.slice(cut).filter(Boolean).length)
    const now = values.slice(cut)
    return baselines.flatMap((baseline): ReadonlyArray<Shift> => {
      // a long window beside a short baseline shows what that one was by chance
      if (all.length < neededOf(baseline, enough) || (baseline === "lately" && window > lengths.lately)) return []
      const before = baseline === "reference" ? all.slice(0, lengths.reference) : all.slice(-lengths[baseline])
      const most = toleratedBeside(baseline, tolerated)
      // tonight is above the median only where it is above half of the nights
      const above = before.filter((value) => sign * (tonight - value) > most).length
      if (2 * above < before.length) return []
      const level = median(before)
      const shift = mean(cautious(now.map((value) => sign * (value - level))))
      const error = scale * Math.sqrt(variance(between, window, before.length, baseline))
      const isSo = shift > most && sign * (tonight - level) > most
      const chance = isSo ? StudentT.above(shift / error, freedom) : 1
      return [{ window, baseline, from: nights[cut] ?? 0, now, before, level, shift, error, chance }]
    })
  })
}

/** The smallest shift of one night that is detected with 80 % power, given the significance level and the nights before. */
export const detectable = (
  { between, enough, freedom, scale, tolerated }: Weighing,
  before: number,
  level: number
): number => {
  const errors = (["lately", "month"] as const)
    .filter((baseline) => before >= neededOf(baseline, enough))
    .map((baseline) => variance(between, 1, Math.min(before, lengths[baseline]), baseline))
  const error = scale * Math.sqrt(Math.min(...errors))
  const reach = Math.max(StudentT.quantile(1 - level, freedom) * error, tolerated)
  return reach + StudentT.quantile(0.8, freedom) * error
}
