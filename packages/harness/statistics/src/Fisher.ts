import * as Discrete from "./Discrete.ts"
import * as Hypergeometric from "./Hypergeometric.ts"

/** Successes of some trials. */
export interface Share {
  readonly passed: number
  readonly of: number
}

/**
 * Returns the distribution of the first one's successes if both have the same success probability and together
 * succeeded this often.
 */
export const conditional = (now: Share, before: Share): Discrete.Discrete =>
  Hypergeometric.of(now.passed + before.passed, now.of, now.of + before.of)

/** Fisher's exact test, one-sided: the chance of so few successes now, or fewer. */
export const fewer = (now: Share, before: Share): number => Discrete.atMost(conditional(now, before), now.passed)

/** Fisher's exact test, one-sided: the chance of this many successes now, or more. */
export const more = (now: Share, before: Share): number => Discrete.atLeast(conditional(now, before), now.passed)
