/** The chance that `k` drawn from `of`, without putting back, are all among `wanted` of them. */
const allAmong = (wanted: number, of: number, k: number): number => {
  let chance = 1
  for (let drawn = 0; drawn < k; drawn++) chance *= Math.max(0, wanted - drawn) / (of - drawn)
  return chance
}

/**
 * Returns the probability that at least one of `k` trials passes, given that `passed` of `of` did; unbiased, for `k` up
 * to `of`.
 */
export const atLeastOne = (passed: number, of: number, k: number): number => 1 - allAmong(of - passed, of, k)

/**
 * Returns the probability that all of `k` trials pass (pass^k), given that `passed` of `of` did; unbiased, for `k` up
 * to `of`.
 */
export const all = (passed: number, of: number, k: number): number => allAmong(passed, of, k)
