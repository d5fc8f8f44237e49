import { drawing } from "./Drawing.ts"

/** Which of two comes first in a pair. */
export type Order = "AB" | "BA"

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
