import * as Binomial from "./Binomial.ts"
import * as Discrete from "./Discrete.ts"
import * as Fisher from "./Fisher.ts"

/** Four of five. */
export const power = 0.8

/** The greatest number of successes now that Fisher's test would call fewer than before; undefined where none would be. */
export const critical = (now: number, before: Fisher.Share, level: number): number | undefined => {
  const isSeen = (passed: number) => Fisher.fewer({ passed, of: now }, before) <= level
  if (!isSeen(0)) return undefined
  let [low, high] = [0, now + 1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (middle <= now && isSeen(middle)) low = middle
    else high = middle
  }
  return low
}

/**
 * The greatest pass rate that four of five such nights would call worse: with so many trials now, so many successes
 * before, and this level; undefined where not even 0 would be.
 */
export const detectableRate = (now: number, before: Fisher.Share, level: number): number | undefined => {
  const limit = critical(now, before, level)
  if (limit === undefined) return undefined
  let [low, high] = [0, 1]
  for (let step = 0; step < 30; step++) {
    const middle = (low + high) / 2
    if (Discrete.atMost(Binomial.of(now, middle), limit) >= power) low = middle
    else high = middle
  }
  return low
}
