/** The refill rate of tokens, and their maximum number. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** The state of a rate: the time at which all tokens are available again. */
export type TokenBucket = number

/** A full bucket. */
export const full: TokenBucket = 0

/** Less than a clock shows: tokens that come back every third of a second are not late for a rounding. */
const negligible_ms = 1e-6

/** The bucket after one token was asked for, and how long until there is one: 0 when it was taken. */
export const take = (bucket: TokenBucket, rate: Rate, now_ms: number): readonly [TokenBucket, wait_ms: number] => {
  const each_ms = 1000 / rate.perSecond
  // never emptier than empty: time may be set back, and the rate may be another one now
  const fullAt_ms = Math.min(Math.max(bucket, now_ms), now_ms + rate.burst * each_ms)
  const wait_ms = fullAt_ms - now_ms - (rate.burst - 1) * each_ms
  return wait_ms <= negligible_ms ? [fullAt_ms + each_ms, 0] : [fullAt_ms, Math.ceil(wait_ms - negligible_ms)]
}
