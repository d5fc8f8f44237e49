import * as LeastSquares from "@webagent/statistics/LeastSquares"
import { mean } from "@webagent/statistics/Quantile"
import { deviation, median } from "@webagent/statistics/Robust"
import * as StudentT from "@webagent/statistics/StudentT"
import { most } from "./Past.ts"
import * as Shift from "./Shift.ts"

/** A figure of the whole night, from night to night. */
export interface NightSeries {
  /** On all machines; only those with the machine of tonight tell its level. */
  readonly values: Shift.Values
  /** The days of the values, counted. */
  readonly days: ReadonlyArray<number>
  /** The machines of the values; 0 is that of tonight. */
  readonly machines: ReadonlyArray<number>
  /** The deviation of a service's nights as a rule, and the least that is believed. */
  readonly usual: number
  readonly least: number
  /** A smaller shift is not reported. */
  readonly tolerated: number
  /** This many nights on the machine of tonight tell a level. */
  readonly enough: number
  /** The level of significance of one way to look. */
  readonly level: number
}

/** The nights on the machine of tonight. */
export const here = ({ machines, values }: NightSeries): Shift.Values => {
  const own = new Set(values.nights.filter((_, index) => machines[index] === 0))
  return Shift.only(values, (night) => own.has(night))
}

/** Correlation between nights, relative to each night's own variance, which is 1. */
interface Likeness {
  /** The variance that follows the night before. */
  readonly following: number
  /** The variance that weekdays have. */
  readonly weekly: number
}

const memory = 0.7
// levels walk by this much of a variance a night, so that old nights count less
const walk = 0.003
const likenesses: ReadonlyArray<Likeness> = [0, 1].flatMap((following) =>
  [0, 1].map((weekly) => ({ following, weekly }))
)

// what is known of nights before the first of them weighs as much as this many
const prior = 4
const longest = 60
const wild = 3
const around = 7
const leastSince = 5
const farthestStep = 30

const covariance = (days: ReadonlyArray<number>, { following, weekly }: Likeness) => {
  const [first = 0] = days
  return LeastSquares.factor(days.length, (row, column) => {
    const [one, other] = [(days[row] ?? 0) - first, (days[column] ?? 0) - first]
    const apart = Math.abs(one - other)
    return (
      (row === column ? 1 : 0) +
      following * memory ** apart +
      (apart % 7 === 0 ? weekly : 0) +
      walk * Math.min(one, other)
    )
  })
}

/** No night counts for more than one that is three deviations from the two weeks around it. */
const tamed = (values: ReadonlyArray<number>): ReadonlyArray<number> => {
  const middles = values.map((_, index) => median(values.slice(Math.max(0, index - around), index + around + 1)))
  const apart = values.map((value, index) => value - (middles[index] ?? 0))
  const limit = values.length < 2 ? 0 : wild * deviation(apart, 0)
  return apart.map((value, index) => (middles[index] ?? 0) + Math.max(-limit, Math.min(limit, value)))
}

const sumOf = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0)

/** Finds the night since which the values most likely are permanently lower: an improvement that may be lost again. */
const stepOf = (values: ReadonlyArray<number>): number => {
  const count = values.length
  const all = sumOf(values)
  let [newer, best, place] = [0, -Infinity, count - leastSince]
  for (let size = 1; size <= Math.min(farthestStep, count - leastSince); size++) {
    newer += values[count - size] ?? 0
    const fall = ((all - newer) / (count - size) - newer / size) * Math.sqrt((size * (count - size)) / count)
    if (size >= leastSince && fall > best) [best, place] = [fall, count - size]
  }
  return place
}

/** A window beside all nights before it, or beside those since the last improvement. */
interface Look {
  readonly window: number
  /** The first night of the window, among all nights. */
  readonly from: number
  /** The nights on the machine of tonight that the level is known by. */
  readonly before: ReadonlyArray<number>
  readonly level: number
  readonly now: ReadonlyArray<number>
  readonly fits: () => ReadonlyArray<Weighted>
}

/** A fit under one likeness, and how likely that one is. */
interface Weighted {
  readonly weight: number
  readonly estimate: number
  readonly error: number
  /** The same by these nights alone, whatever nights are as a rule. */
  readonly ownError: number
  readonly freedom: number
  /** The deviation of one night. */
  readonly nightly: number
}

const looksOf = (
  { days, enough, least, machines, usual, values: { isBaseline, nights, values } }: NightSeries,
  sign: 1 | -1,
  windows: ReadonlyArray<number>
): ReadonlyArray<Look> => {
  const places = Array.from(values.keys())
  const here = places.filter((place) => machines[place] === 0)
  return windows.flatMap((window): ReadonlyArray<Look> => {
    const lately = here.slice(-window)
    const [cut = 0] = lately
    const past = places.filter((place) => place < cut && isBaseline[place] === true).slice(-longest)
    const own = past.filter((place) => machines[place] === 0)
    if (lately.length < window || own.length < enough) return []
    const now = Shift.cautious(lately.map((place) => sign * (values[place] ?? 0)))
    // a machine has a level of its own
    const ofMachines = [...Map.groupBy(past, (place) => machines[place] ?? 0)].map(
      ([machine, at]) => [machine, at, tamed(at.map((place) => sign * (values[place] ?? 0)))] as const
    )
    const byPlace = new Map(
      ofMachines.flatMap(([, at, all]) => at.map((place, index) => [place, all[index] ?? 0] as const))
    )
    const all = [...past, ...lately]
    const target = [...past.map((place) => byPlace.get(place) ?? 0), ...now]
    const levels = ofMachines.map(([machine]) => all.map((place) => (machines[place] === machine ? 1 : 0)))
    const shift = all.map((_, index) => (index < past.length ? 0 : 1))
    const look = (since: number): Look => {
      const before = own.filter((place) => place >= since).map((place) => sign * (values[place] ?? 0))
      const step = since === 0 ? [] : [all.map((place) => (machines[place] === 0 && place >= since ? 1 : 0))]
      const fits = () => {
        const each = likenesses.map((likeness) => {
          const factor = covariance(
            all.map((place) => days[place] ?? 0),
            likeness
          )
          const fit = LeastSquares.generalized(factor, [...levels, ...step, shift], target)
          const freedom = prior + fit.freedom
          const variance = (prior * usual ** 2 + fit.squares) / freedom
          return { fit, freedom, variance, log: -fit.logDeterminant - (freedom / 2) * Math.log(variance), likeness }
        })
        const top = Math.max(...each.map(({ log }) => log))
        const together = sumOf(each.map(({ log }) => Math.exp(log - top)))
        return each.map(({ fit, freedom, likeness, log, variance }): Weighted => {
          const scale = Math.max(least, Math.sqrt(variance))
          return {
            weight: Math.exp(log - top) / together,
            estimate: fit.estimate,
            error: scale * fit.error,
            // two nights, each with a level of its own, do not say how much nights differ
            ownError: (fit.freedom === 0 ? scale : Math.max(least, Math.sqrt(fit.squares / fit.freedom))) * fit.error,
            freedom,
            nightly: scale * Math.sqrt(1 + likeness.following)
          }
        })
      }
      return { window, from: nights[cut] ?? 0, before, level: median(before.slice(-most)), now, fits }
    }
    const since =
      own.length < 2 * leastSince || window > leastSince
        ? undefined
        : own[stepOf(own.map((place) => byPlace.get(place) ?? 0))]
    return [look(0), ...(since === undefined || since === own[0] ? [] : [look(since)])]
  })
}

const averaged = (fits: ReadonlyArray<Weighted>, of: (fit: Weighted) => number) =>
  sumOf(fits.map((fit) => fit.weight * of(fit)))

/** A shift of the whole night. */
export interface Found {
  readonly window: number
  readonly from: number
  readonly before: ReadonlyArray<number>
  readonly level: number
  readonly shift: number
  readonly chance: number
}

const foundOf = (series: NightSeries, sign: 1 | -1): Found | undefined => {
  const { level: significance, tolerated, values } = series
  const tonight = sign * (values.values.at(-1) ?? 0)
  for (const look of looksOf(series, sign, Shift.windows)) {
    const { before, fits, from, level, now, window } = look
    // tonight is above the median only where it is above half of the nights
    const above = before.filter((value) => tonight - value > tolerated).length
    if (2 * above < before.length || tonight - level <= tolerated || mean(now) - level <= tolerated) continue
    const all = fits()
    const shift = averaged(all, ({ estimate }) => estimate)
    const chance = averaged(all, ({ error, estimate, freedom }) => StudentT.above(estimate / error, freedom))
    if (shift > tolerated && chance <= significance) {
      return { window, from, before, level: sign * level, shift, chance }
    }
  }
  return undefined
}

/** A significant shift for the worse, else one for the better, in the fewest nights that show it. */
export const shiftOf = (series: NightSeries) => {
  for (const [sign, verdict] of [
    [1, "regressed"],
    [-1, "improved"]
  ] as const) {
    const shift = foundOf(series, sign)
    if (shift !== undefined) return { verdict, found: shift } as const
  }
  return undefined
}

/** By how much a night differs from those around it, and the smallest shift of one night that is detected with 80 % power. */
export const reachOf = (series: NightSeries) => {
  const fits = looksOf(series, 1, [1])[0]?.fits() ?? []
  const [first] = fits
  if (first === undefined) return { scale: Number.NaN, detectable: Infinity }
  const critical = StudentT.quantile(1 - series.level, first.freedom) * averaged(fits, ({ error }) => error)
  const reach = Math.max(critical, series.tolerated)
  const error = averaged(fits, ({ ownError }) => ownError)
  return {
    scale: averaged(fits, ({ nightly }) => nightly),
    detectable: reach + StudentT.quantile(0.8, first.freedom) * error
  }
}
