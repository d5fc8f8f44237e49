import * as BetaBinomial from "@webagent/statistics/BetaBinomial"
import * as Binomial from "@webagent/statistics/Binomial"
import * as Discrete from "@webagent/statistics/Discrete"

/** What confirm trials say so far. */
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
const leastOfSlow = 5
const leastToConfirm = 10

// a test is given up when the shift lies this many deviations below one that all trials would confirm
const hopelessShift = 1.3

/** A test of durations, in logarithms of milliseconds, fixed before its first trial. */
export interface DurationTest {
  /** What a trial usually takes, in a night like tonight. */
  readonly usual: number
  /** The deviation of one trial. */
  readonly deviation: number
  /** By how much the planned trials took longer, and the variance of that. */
  readonly planned: { readonly shift: number; readonly variance: number }
  /** The variance of what all trials of the night share: what the night adds to a scenario, and what is not known of its usual level. */
  readonly shared: number
  /** A smaller shift is not confirmed. */
  readonly tolerated: number
  readonly level: number
}

// the middle half of normal numbers tells their middle less exactly than all of them
const inefficiency = 1.15

/**
 * A sequential probability ratio test (Wald) of a shift that this many trials can confirm, by the planned and the confirm
 * trials together; `middle_log` is the mean of the middle half of the latter. Without a shift, the ratio of the
 * likelihoods with and without one ever reaches 1 / `level` with a chance of at most `level` (Ville), so the error rate is
 * kept whenever the trials end. It is given up when more trials would
 * hardly confirm it, or the confirm trials by themselves do not look slow.
 */
export const ofDurations = (
  { deviation, level, planned, shared, tolerated, usual }: DurationTest,
  trials: number,
  middle_log: number
): State => {
  if (trials < leastOfSlow) return "more"
  const strict = -Math.log(level)
  const weightOf = (count: number) => count / (inefficiency * deviation ** 2)
  const varianceOf = (count: number) => shared + 1 / (1 / planned.variance + weightOf(count))
  const changed = Math.max(tolerated, Math.sqrt(2 * varianceOf(mostOfSlow) * strict))
  const own = middle_log - usual
  const weight = 1 / planned.variance + weightOf(trials)
  // a median of few trials may be that of outliers: then the confirm trials say so
  const before = Math.min(planned.shift, own + 2 * Math.sqrt(planned.variance + 1 / weightOf(trials)))
  const shift = (before / planned.variance + weightOf(trials) * own) / weight
  const logRatio = (changed * (shift - changed / 2)) / varianceOf(trials)
  const isEnough = trials >= leastToConfirm
  if (shift + hopelessShift / Math.sqrt(weight) < changed || (isEnough && own <= tolerated)) return "not confirmed"
  if (logRatio >= strict && shift > tolerated && isEnough) return "confirmed"
  return trials >= mostOfSlow ? "not confirmed" : "more"
}
