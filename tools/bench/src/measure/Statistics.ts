import { drawing } from "@webagent/statistics/Drawing"
import { quantile, sorted } from "@webagent/statistics/Quantile"
import { median } from "@webagent/statistics/Robust"

/** Ratio over the rounds, with its confidence interval. */
export interface Ratio {
  /** The median of the rounds' ratios. */
  readonly ratio: number
  /** The 95 % bootstrap interval of that median. */
  readonly low: number
  readonly high: number
}

const resamples = 4000

/**
 * Cost of the first relative to the second. The two lists are the same rounds in the same order: a disturbance in a
 * round slowed both down, so each round gives a ratio, and the bootstrap draws whole rounds.
 */
export const ratioOf = (first: ReadonlyArray<number>, second: ReadonlyArray<number>, seed = 1): Ratio => {
  if (first.length !== second.length) throw new RangeError("A ratio needs both figures of every round")
  const ratios = first.map((figure, round) => figure / (second[round] ?? Number.NaN))
  const draw = drawing(seed)
  const medians = sorted(
    Array.from({ length: resamples }, () =>
      median(ratios.map(() => ratios[Math.floor(draw() * ratios.length)] ?? Number.NaN))
    )
  )
  return { ratio: median(ratios), low: quantile(medians, 0.025), high: quantile(medians, 0.975) }
}

/** The same of costs by name; undefined where either was not measured. */
export const ratioBetween = (
  costs: (name: string) => ReadonlyArray<number> | undefined,
  first: string,
  second: string
): Ratio | undefined => {
  const [a, b] = [costs(first), costs(second)]
  return a === undefined || b === undefined ? undefined : ratioOf(a, b)
}
