/** A distribution over whole numbers: `chances[0]` is that of `least`, and so on. */
export interface Discrete {
  readonly least: number
  readonly chances: ReadonlyArray<number>
}

const sum = (chances: ReadonlyArray<number>) =>
  // the small ones first, or they are lost beside the large ones
  Math.min(
    1,
    chances.toSorted((a, b) => a - b).reduce((total, chance) => total + chance, 0)
  )

/** From logarithms of chances that need not sum to one. */
export const ofLogarithms = (least: number, logarithms: ReadonlyArray<number>): Discrete => {
  const greatest = Math.max(...logarithms)
  const weights = logarithms.map((logarithm) => Math.exp(logarithm - greatest))
  const total = weights.toSorted((a, b) => a - b).reduce((sum, weight) => sum + weight, 0)
  return { least, chances: weights.map((weight) => weight / total) }
}

/** The chance of `value` or more. */
export const atLeast = ({ chances, least }: Discrete, value: number): number =>
  sum(chances.slice(Math.max(0, value - least)))

/** The chance of `value` or less. */
export const atMost = ({ chances, least }: Discrete, value: number): number =>
  sum(chances.slice(0, Math.max(0, value - least + 1)))

/** All chances that `atLeast` or `atMost` can say of a distribution, ascending. */
export const tails = (of: Discrete, side: "atLeast" | "atMost"): ReadonlyArray<number> => {
  const values = of.chances.map((_, index) => (side === "atLeast" ? atLeast : atMost)(of, of.least + index))
  return side === "atLeast" ? values.toReversed() : values
}

/** The distribution of the sum of two that know nothing of each other. */
export const plus = (one: Discrete, other: Discrete): Discrete => {
  const chances = Array.from({ length: one.chances.length + other.chances.length - 1 }, () => 0)
  for (const [i, chance] of one.chances.entries()) {
    for (const [j, too] of other.chances.entries()) chances[i + j] = (chances[i + j] ?? 0) + chance * too
  }
  return { least: one.least + other.least, chances }
}

/** Nothing but this value. */
export const certain = (value: number): Discrete => ({ least: value, chances: [1] })
