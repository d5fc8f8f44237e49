/** Which of two comes first in a pair. */
export type Order = "AB" | "BA"

/** mulberry32: the same numbers in [0, 1) for the same seed. */
export const drawing = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/**
 * The order within each pair: every two pairs are ABBA or BAAB, as the seed draws, so that neither side is always the one
 * that runs first, and a machine that grows slower weighs on both alike.
 */
export const orders = (pairs: number, seed: number): ReadonlyArray<Order> => {
  const draw = drawing(seed)
  return Array.from({ length: Math.ceil(pairs / 2) }, (): ReadonlyArray<Order> =>
    draw() < 0.5 ? ["AB", "BA"] : ["BA", "AB"]
  )
    .flat()
    .slice(0, pairs)
}
