import { deviation, mean } from "./Quantile.ts"
import * as StudentT from "./StudentT.ts"

/** A mean, within what it may lie, and the least difference that would most likely have been seen. */
export interface Interval {
  readonly middle: number
  readonly low: number
  readonly high: number
  /** A true difference from nothing as large as this would show outside the interval in four of five cases. */
  readonly detectable: number
}

// four of five
const power = 0.8

/** Around the mean, with an error of the deviation times the root of `share`; of fewer than two numbers it has no ends. */
const around = (numbers: ReadonlyArray<number>, share: number, doubt: number): Interval => {
  const middle = mean(numbers)
  if (numbers.length < 2) return { middle, low: -Infinity, high: Infinity, detectable: Infinity }
  const freedom = numbers.length - 1
  const error = deviation(numbers) * Math.sqrt(share)
  const reach = StudentT.quantile(1 - doubt, freedom) * error
  return {
    middle,
    low: middle - reach,
    high: middle + reach,
    detectable: reach + StudentT.quantile(power, freedom) * error
  }
}

/**
 * Returns the distance of the mean from 0 that would show outside of its interval in four of five cases, for `count`
 * numbers that scatter like these.
 */
export const detectableMean = (numbers: ReadonlyArray<number>, count: number, doubt: number): number => {
  if (numbers.length < 2 || count < 2) return Infinity
  const quantiles = StudentT.quantile(1 - doubt, count - 1) + StudentT.quantile(power, count - 1)
  return (quantiles * deviation(numbers)) / Math.sqrt(count)
}

/** Student's interval of the mean: each end is beyond the true mean with a chance of `doubt` at most. */
export const ofMean = (numbers: ReadonlyArray<number>, doubt: number): Interval =>
  around(numbers, 1 / numbers.length, doubt)

/**
 * Prediction interval for one more positive figure from the same distribution, by the logarithms. Each end is missed with
 * a chance of `doubt`. `detectable` is a ratio.
 */
export const ofNextFigure = (figures: ReadonlyArray<number>, doubt: number): Interval => {
  const { detectable, high, low, middle } = around(figures.map(Math.log), 1 + 1 / figures.length, doubt)
  return { middle: Math.exp(middle), low: Math.exp(low), high: Math.exp(high), detectable: Math.exp(detectable) }
}
