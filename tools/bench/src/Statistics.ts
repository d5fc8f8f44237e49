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

/** The number below which a share of the sorted numbers lies, between two of them in proportion. */
const quantile = (sorted: ReadonlyArray<number>, share: number): number => {
  const place = share * (sorted.length - 1)
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}

/** mulberry32: the same numbers in [0, 1) for the same seed, so that a report can be made again. */
const drawing = (seed: number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
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
