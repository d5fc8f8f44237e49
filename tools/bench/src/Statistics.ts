import { drawing } from "@webagent/statistics/Order"
import { quantile } from "@webagent/statistics/Quantile"

/** What a ratio was over the rounds, and within what it may lie. */
export interface Ratio {
  /** The median of the rounds' ratios. */
  readonly ratio: number
  /** The 95 % bootstrap interval of that median. */
  readonly low: number
  readonly high: number
}

/** The middle of the numbers, the mean of both middles for an even count; NaN of none. */
export const median = (numbers: ReadonlyArray<number>): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

const resamples = 4000

/**
 * How much the first costs beside the second. The two lists are the same rounds in the same order: what slowed the
 * machine down in a round slowed both down, so each round gives a ratio, and the bootstrap draws whole rounds.
 */
export const ratioOf = (first: ReadonlyArray<number>, second: ReadonlyArray<number>, seed = 1): Ratio => {
  if (first.length !== second.length) throw new RangeError("A ratio needs both figures of every round")
  const ratios = first.map((figure, round) => figure / (second[round] ?? Number.NaN))
  const draw = drawing(seed)
  const medians = Array.from({ length: resamples }, () =>
    median(ratios.map(() => ratios[Math.floor(draw() * ratios.length)] ?? Number.NaN))
  ).toSorted((a, b) => a - b)
  return { ratio: median(ratios), low: quantile(medians, 0.025), high: quantile(medians, 0.975) }
}
