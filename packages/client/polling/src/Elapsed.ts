import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

const toMillis = (nanos: bigint) => Number(nanos / 1_000_000n)

/**
 * Milliseconds of a monotonic clock. Only a difference of two has a meaning. A change of the system time neither ends a
 * wait nor holds one up.
 */
export const now_ms: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, toMillis)

/** The same at once, by a clock at hand. */
export const nowUnsafe_ms = (clock: Clock.Clock): number => toMillis(clock.monotonicTimeNanosUnsafe())
