import * as Binomial from "./Binomial.ts"
import * as Discrete from "./Discrete.ts"
import * as Fisher from "./Fisher.ts"
import * as McNemar from "./McNemar.ts"

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

/** The greatest chance of a success with which so many of `of` or fewer come in four of five cases. */
const rateOf = (of: number, most: number): number => {
  let [low, high] = [0, 1]
  for (let step = 0; step < 30; step++) {
    const middle = (low + high) / 2
    if (Discrete.atMost(Binomial.of(of, middle), most) >= power) low = middle
    else high = middle
  }
  return low
}

/**
 * The greatest pass rate that four of five such nights would call worse: with so many trials now, so many successes
 * before, and this level; undefined where not even 0 would be. More successes than `most` are not worth a word.
 */
export const detectableRate = (now: number, before: Fisher.Share, level: number, most = now): number | undefined => {
  const limit = critical(now, before, level)
  return limit === undefined || most < 0 ? undefined : rateOf(now, Math.min(limit, most))
}

/**
 * The same of trials in pairs, by McNemar's test: so many that failed before pass now, and of those that passed some are
 * lost.
 */
export const detectablePairedRate = (before: Fisher.Share, won: number, level: number): number | undefined => {
  let lost = 0
  while (lost <= before.passed && McNemar.worse({ lost, won }) > level) lost++
  if (lost > before.passed) return undefined
  return (rateOf(before.passed, before.passed - lost) * before.passed + won) / before.of
}
