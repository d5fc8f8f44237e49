import * as BetaBinomial from "@webagent/statistics/BetaBinomial"
import * as Binomial from "@webagent/statistics/Binomial"
import * as Discrete from "@webagent/statistics/Discrete"
import * as StudentT from "@webagent/statistics/StudentT"

/** Conclusion from the confirm trials so far. */
export type State = "confirmed" | "not confirmed" | "more"

/** The most confirm trials of a scenario that fails. */
export const mostOfFailing = 40

/** A test of failures, fixed before its first trial. */
interface FailureTest {
  /** This many failures confirm. */
  readonly critical: number
  readonly most: number
}

/** The fewest failures that the scenario's usual rate, as a beta distribution, explains with a chance of `level` at most. */
export const failureTest = (
  rate: { readonly failed: number; readonly passed: number },
  level: number,
  most = mostOfFailing
): FailureTest => {
  let critical = 1
  while (critical <= most && BetaBinomial.atLeast(critical, most, rate.failed, rate.passed) > level) critical++
  return { critical, most }
}

// a test that has a smaller chance to confirm is given up
const hopeless = 0.25

/**
 * A sequential test by curtailment: it ends as soon as its result is certain, and early when a scenario that fails just
 * often enough to be confirmed would hardly be. Neither raises the chance of a false alarm above that of all trials.
 */
export const ofFailures = ({ critical, most }: FailureTest, failed: number, trials: number): State => {
  if (failed >= critical) return "confirmed"
  const [left, missing] = [most - trials, critical - failed]
  if (missing > left) return "not confirmed"
  const chance = Discrete.atLeast(Binomial.of(left, Math.min(0.95, critical / most)), missing)
  return chance < hopeless ? "not confirmed" : "more"
}

/** The most confirm trials of a scenario that looks slow. */
const mostOfSlow = 100
// the middle half of fewer may be outliers: what looks well is believed sooner than what does not
const leastOfSlow = 3
const leastToConfirm = 10

// a test is given up when the shift lies this many deviations below one that all trials would confirm
const hopelessShift = 1.3

/** A test of durations, in logarithms of milliseconds, fixed before its first trial. */
export interface DurationTest {
  /** Usual value of a trial, in a night like tonight. */
  readonly usual: number
  /** The deviation of one trial. */
  readonly deviation: number
  /** By how much the planned trials took longer, and the variance of that. */
  readonly planned: { readonly shift: number; readonly variance: number }
  /** The variance of what all trials of the night share: what the night adds to a scenario, and what is not known of its usual level. */
  readonly shared: number
  /** Number of degrees of freedom of this variance. */
  readonly freedom: number
  /** A smaller shift is not confirmed. */
  readonly tolerated: number
  readonly level: number
}

/** The middle half of normal numbers tells their middle less exactly than all of them. */
export const inefficiency = 1.2

/**
 * A sequential test of the shift that the planned and the confirm trials show together; `middle_log` is the mean of the
 * middle half of the latter. Without a shift, shift / variance is a Brownian motion in 1 / variance, which ever reaches a
 * height with twice the chance that it ends above it (reflection principle). So half of `level` at the last trial keeps
 * the error rate whenever the trials end. The test is given up when more trials would hardly confirm the shift, or the
 * confirm trials by themselves do not look slow.
 */
export const ofDurations = (
  { deviation, freedom, level, planned, shared, tolerated, usual }: DurationTest,
  trials: number,
  middle_log: number
): State => {
  if (trials < leastOfSlow) return "more"
  const weightOf = (count: number) => 1 / planned.variance + count / (inefficiency * deviation ** 2)
  const varianceOf = (count: number) => shared + 1 / weightOf(count)
  const last = Math.sqrt(varianceOf(mostOfSlow))
  const critical = StudentT.quantile(1 - level / 2, freedom)
  const own = middle_log - usual
  const weight = weightOf(trials)
  // a median of few trials may be that of outliers: then the confirm trials say so
  const before = Math.min(planned.shift, own + 2 / Math.sqrt(weight))
  const shift = own + (before - own) / planned.variance / weight
  const isEnough = trials >= leastToConfirm
  const changed = Math.max(tolerated, critical * last)
  if (shift + hopelessShift / Math.sqrt(weight) < changed || (isEnough && own <= tolerated)) return "not confirmed"
  const isShown = shift > tolerated && shift * last >= critical * varianceOf(trials)
  if (isEnough && isShown) return "confirmed"
  return trials >= mostOfSlow ? "not confirmed" : "more"
}
