import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

const toMillis = (nanos: bigint) => Math.floor(Number(nanos) / 1e6)

/**
 * Milliseconds of a monotonic clock. Only the difference of two readings has a meaning, and changes of the system time
 * don't affect it.
 */
export const now_ms: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, toMillis)

/**
 * Reads a clock synchronously, in milliseconds as `now_ms`.
 *
 * @param clock - The clock that is read.
 * @returns The time in milliseconds since an arbitrary moment.
 */
export const nowUnsafe_ms = (clock: Clock.Clock): number => toMillis(clock.monotonicTimeNanosUnsafe())
