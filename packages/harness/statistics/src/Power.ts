import * as Binomial from "./Binomial.ts"
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

/** The greatest chance of a success that gives `most` or fewer successes among `of` in four of five cases. */
const rateOf = (of: number, most: number): number => Binomial.upper(most, of, 1 - power)

/**
 * The greatest pass rate that this test calls worse with 80 % power, given the trials now, the successes before and the
 * significance level. Undefined where it would not even call 0 worse. More successes than `most` are never called worse.
 */
export const detectableRate = (now: number, before: Fisher.Share, level: number, most = now): number | undefined => {
  const limit = critical(now, before, level)
  return limit === undefined || most < 0 ? undefined : rateOf(now, Math.min(limit, most))
}

/**
 * The same for trials in pairs, by McNemar's test: `won` trials that failed before pass now, and some that passed before
 * fail now.
 */
export const detectablePairedRate = (before: Fisher.Share, won: number, level: number): number | undefined => {
  let lost = 0
  while (lost <= before.passed && McNemar.worse({ lost, won }) > level) lost++
  if (lost > before.passed) return undefined
  return (rateOf(before.passed, before.passed - lost) * before.passed + won) / before.of
}
