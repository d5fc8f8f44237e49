import * as Discrete from "./Discrete.ts"
import * as Fisher from "./Fisher.ts"

/** One stratum: the same thing now and before. */
export interface Stratum {
  readonly now: Fisher.Share
  readonly before: Fisher.Share
}

/**
 * Exact test of strata that all have one odds ratio, which is 1 if nothing has changed (Cochran, Mantel and Haenszel
 * without their approximation): how the failures now lie, of all strata together, given how often each has failed now
 * and before. A stratum that never failed says nothing, and one with few failures weighs little.
 */
export const failures = (strata: ReadonlyArray<Stratum>): Discrete.Discrete =>
  strata
    .map(({ before, now }) =>
      Fisher.conditional(
        { passed: now.of - now.passed, of: now.of },
        { passed: before.of - before.passed, of: before.of }
      )
    )
    .filter(({ chances, least }) => chances.length > 1 || least > 0)
    .reduce(Discrete.plus, Discrete.certain(0))

/** Returns the number of current failures in all strata together. */
const failedNow = (strata: ReadonlyArray<Stratum>): number =>
  strata.reduce((sum, { now }) => sum + now.of - now.passed, 0)

/** The chance of this many failures now, or more, if nothing has changed. */
export const worse = (strata: ReadonlyArray<Stratum>): number => Discrete.atLeast(failures(strata), failedNow(strata))

/** The chance of so few failures now, or fewer, if nothing has changed. */
export const better = (strata: ReadonlyArray<Stratum>): number => Discrete.atMost(failures(strata), failedNow(strata))
