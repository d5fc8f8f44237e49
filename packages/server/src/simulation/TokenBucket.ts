/** What is left of a rate: tokens that come back steadily, up to a burst. */
export interface TokenBucket {
  readonly tokens: number
  readonly at_ms: number
}

/** How fast tokens come back, and how many there are at most. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** A full bucket. */
export const full = ({ burst }: Rate, at_ms: number): TokenBucket => ({ tokens: burst, at_ms })

/** The bucket after one token was asked for, and how long until there is one: 0 when it was taken. */
export const take = (bucket: TokenBucket, rate: Rate, now_ms: number): readonly [TokenBucket, wait_ms: number] => {
  // time may be set back when a snapshot is restored
  const passed_ms = Math.max(0, now_ms - bucket.at_ms)
  const tokens = Math.min(rate.burst, bucket.tokens + (passed_ms * rate.perSecond) / 1000)
  return tokens >= 1
    ? [{ tokens: tokens - 1, at_ms: now_ms }, 0]
    : [{ tokens, at_ms: now_ms }, Math.ceil(((1 - tokens) * 1000) / rate.perSecond)]
}
