import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

const toMillis = (nanos: bigint) => Math.floor(Number(nanos) / 1e6)

/** Reads a clock synchronously, in milliseconds as `now_ms`. */
export const read_ms = (clock: Clock.Clock): number => toMillis(clock.monotonicTimeNanosUnsafe())

/** Milliseconds of a monotonic clock. Only a difference of two has a meaning; changes of the system time do not matter. */
export const now_ms: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, toMillis)
