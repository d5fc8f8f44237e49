import * as StudentT from "@webagent/statistics/StudentT"

/** Conclusion from the extra trials so far. */
export type State = "confirmed" | "not confirmed" | "more"

/** The most extra trials of a scenario that looks slow. */
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

/** The extra trials that decide a duration which nights show. */
export const trialsOfShown = 20

/**
 * Decides a duration that the nights show to be longer by `shift` than `usual`, both as logarithms: the extra trials of
 * tonight must by themselves lie nearer to the longer one, and beyond what is tolerated.
 */
export const ofShown = (
  { shift, tolerated, usual }: { readonly usual: number; readonly shift: number; readonly tolerated: number },
  trials: number,
  middle_log: number
): State => {
  if (trials < trialsOfShown) return "more"
  return middle_log - usual > Math.max(tolerated, shift / 2) ? "confirmed" : "not confirmed"
}

/** The middle half of normal numbers tells their middle less exactly than all of them. */
export const inefficiency = 1.2

/** The shift that the planned and the extra trials show together. */
const seenIn = ({ deviation, planned, shared, usual }: DurationTest, trials: number, middle_log: number) => {
  const weightOf = (count: number) => 1 / planned.variance + count / (inefficiency * deviation ** 2)
  const weight = weightOf(trials)
  const own = middle_log - usual
  // a median of few trials may be that of outliers: then the extra trials say so
  const before = Math.min(planned.shift, own + 2 / Math.sqrt(weight))
  return {
    own,
    weight,
    shift: own + (before - own) / planned.variance / weight,
    variance: shared + 1 / weight,
    last: Math.sqrt(shared + 1 / weightOf(mostOfSlow))
  }
}

/** A smaller shift is not confirmed by all trials. */
const confirmable = ({ freedom, level, tolerated }: DurationTest, last: number) =>
  Math.max(tolerated, StudentT.quantile(1 - level / 2, freedom) * last)

/**
 * Likelihood of the planned and the extra trials with the smallest shift that all trials would confirm, divided by that
 * without a shift.
 */
export const ratioOf = (test: DurationTest, trials: number, middle_log: number | undefined): number => {
  const seen = seenIn(test, trials, middle_log ?? test.usual + test.planned.shift)
  const changed = confirmable(test, seen.last)
  return Math.exp((changed * (seen.shift - changed / 2)) / seen.variance)
}

/**
 * A sequential test of the shift that the planned and the extra trials show together; `middle_log` is the mean of the
 * middle half of the latter. Without a shift, shift / variance is a Brownian motion in 1 / variance, which ever reaches a
 * height with twice the chance that it ends above it (reflection principle). So half of `level` at the last trial keeps
 * the error rate whenever the trials end. The test is given up when more trials would hardly confirm the shift, or the
 * extra trials by themselves do not look slow.
 */
export const ofDurations = (test: DurationTest, trials: number, middle_log: number): State => {
  if (trials < leastOfSlow) return "more"
  const { freedom, level, tolerated } = test
  const { last, own, shift, variance, weight } = seenIn(test, trials, middle_log)
  const isEnough = trials >= leastToConfirm
  const changed = confirmable(test, last)
  if (shift + hopelessShift / Math.sqrt(weight) < changed || (isEnough && own <= tolerated)) return "not confirmed"
  const isShown = shift > tolerated && shift * last >= StudentT.quantile(1 - level / 2, freedom) * variance
  if (isEnough && isShown) return "confirmed"
  return trials >= mostOfSlow ? "not confirmed" : "more"
}
