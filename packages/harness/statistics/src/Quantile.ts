/** Numbers from the least to the greatest, in a copy that is quick to sort. */
export const sorted = (numbers: Iterable<number>): Float64Array => Float64Array.from(numbers).toSorted()

/**
 * The number below which a share of the sorted numbers lies, between two of them in proportion, as k6 counts it; NaN of
 * none.
 */
export const quantile = (sorted: ArrayLike<number>, share: number): number => {
  const place = share * (sorted.length - 1)
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}

/** The mean; NaN of no numbers. */
export const mean = (numbers: ReadonlyArray<number>): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length

/** The standard deviation of what the numbers are a sample of; NaN of fewer than two. */
export const deviation = (numbers: ReadonlyArray<number>): number => {
  const middle = mean(numbers)
  return Math.sqrt(numbers.reduce((sum, number) => sum + (number - middle) ** 2, 0) / (numbers.length - 1))
}
