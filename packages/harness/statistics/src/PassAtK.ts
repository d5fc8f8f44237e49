/** The chance that `k` drawn from `of`, without putting back, are all among `wanted` of them. */
const allAmong = (wanted: number, of: number, k: number): number => {
  let chance = 1
  for (let drawn = 0; drawn < k; drawn++) chance *= Math.max(0, wanted - drawn) / (of - drawn)
  return chance
}

/** How likely at least one of `k` trials passes, when `passed` of `of` did; without bias, for `k` up to `of`. */
export const atLeastOne = (passed: number, of: number, k: number): number => 1 - allAmong(of - passed, of, k)

/** How likely all of `k` trials pass, when `passed` of `of` did (pass^k); without bias, for `k` up to `of`. */
export const all = (passed: number, of: number, k: number): number => allAmong(passed, of, k)
