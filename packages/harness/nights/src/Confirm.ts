import * as BetaBinomial from "@webagent/statistics/BetaBinomial"
import * as Binomial from "@webagent/statistics/Binomial"
import * as Discrete from "@webagent/statistics/Discrete"
import * as StudentT from "@webagent/statistics/StudentT"

/** What confirm trials say so far. */
export type State = "confirmed" | "not confirmed" | "more"

/** The most confirm trials of a scenario that fails. */
export const mostOfFailing = 40

/** A test of failures, fixed before its first trial. */
export interface FailureTest {
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
const hopeless = 0.03

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

/** After how many confirm trials a slow scenario is looked at. */
export const looks = [5, 20, 60] as const

/** A test of durations, in logarithms of milliseconds; `middle_log` is the mean of the middle half of them. */
export interface DurationTest {
  /** What a trial usually takes, in a night like tonight. */
  readonly usual: number
  /** The deviation of one trial. */
  readonly deviation: number
  /** The variance of what is usual, and of what a night adds to a scenario. */
  readonly variance: number
  readonly tolerated: number
  /** The significance level of each look. */
  readonly level: number
}

// trials and nights together know the deviation about as well
const freedom = 60
// one in ten rises by more than this many deviations
const hopeful = 1.28
// the middle half of normal numbers tells their middle less exactly than all of them
const inefficiency = 1.15

/** A sequential test in three looks that share the level; it is given up when the trials do not look slow. */
export const ofDurations = (test: DurationTest, trials: number, middle_log: number, isLast = false): State => {
  const { deviation, level, tolerated, usual, variance } = test
  const last = looks[looks.length - 1] ?? 0
  if (trials < looks[0]) return "more"
  const squared = (count: number) => (inefficiency * deviation ** 2) / count
  const reach = (count: number) =>
    Math.max(tolerated, StudentT.quantile(1 - level, freedom) * Math.sqrt(variance + squared(count)))
  const shift = middle_log - usual
  const isLook = isLast || looks.some((look) => look === trials) || trials > last
  if (isLook && shift > reach(trials)) return "confirmed"
  if (trials >= last) return "not confirmed"
  // the trials to come seldom raise it by more than this
  const rise = hopeful * Math.sqrt(Math.max(0, squared(trials) - squared(last)))
  return isLook && shift + rise < reach(last) ? "not confirmed" : "more"
}
