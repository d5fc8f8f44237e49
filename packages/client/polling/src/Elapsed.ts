import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

const toMillis = (nanos: bigint) => Number(nanos / 1_000_000n)

/**
 * Milliseconds that have passed, from whenever: only the difference of two tells something. Unlike the time of day
 * nobody sets it, so that a clock which is put right neither ends a wait nor holds one up.
 */
export const now_ms: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, toMillis)

/** The same at once, by a clock at hand. */
export const nowUnsafe_ms = (clock: Clock.Clock): number => toMillis(clock.monotonicTimeNanosUnsafe())
