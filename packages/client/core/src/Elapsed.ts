import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** What `now_ms` gives, of a clock that is at hand. */
export const read_ms = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)

/** Milliseconds that have passed, from whenever: unlike the time of day nobody sets it, so that two may be subtracted. */
export const now_ms: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))
