import { quantile, sorted } from "./Quantile.ts"

/** The middle of some numbers; NaN of none. */
export const median = (numbers: ReadonlyArray<number>): number => quantile(sorted(numbers), 0.5)

// the median distance from the middle of normal numbers is this part of their deviation
const normal = 0.674_489_750_196_081_7

// how far beyond the middle half a number still counts in full, and what is then missing of a normal deviation
const most = 2.5
const clipped = 0.978

/** The deviation of what the numbers are a sample of, in which one wild number counts for no more than a far one. */
export const deviation = (numbers: ReadonlyArray<number>, middle = median(numbers)): number => {
  const apart = numbers.map((number) => Math.abs(number - middle))
  const half = median(apart) / normal
  // where more than half are the same, only all of them say how much they differ
  const limit = half === 0 ? Infinity : most * half
  const squares = apart.reduce((sum, distance) => sum + Math.min(distance, limit) ** 2, 0)
  return Math.sqrt(squares / (numbers.length - 1)) / (half === 0 ? 1 : clipped)
}

/** The mean without the least and the greatest quarter. */
export const middleMean = (numbers: ReadonlyArray<number>): number => {
  const ordered = sorted(numbers)
  const cut = Math.floor(ordered.length / 4)
  let sum = 0
  for (let index = cut; index < ordered.length - cut; index++) sum += ordered[index] ?? 0
  return sum / (ordered.length - 2 * cut)
}

// a number that is farther from the middle than this many of its deviations counts less
const far = 1.5

/**
 * Returns the weight of each number for their common level, in shares of 1. More exact numbers weigh more, and numbers
 * far from the middle weigh less (one step to Huber's estimate).
 */
export const shares = (numbers: ReadonlyArray<number>, deviations: ReadonlyArray<number>): ReadonlyArray<number> => {
  const middle = median(numbers)
  const weights = numbers.map((number, index) => {
    const its = deviations[index] ?? Infinity
    return 1 / (its * Math.max(its, Math.abs(number - middle) / far))
  })
  const together = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / together)
}
