import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** By a monotonic clock: an outage of ten seconds is over after ten seconds, although a snapshot may set the time. */
export const elapsed_ms = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e6)

/** A pause of a script; infinite until the caller leaves. */
export const wait = (ms: number): Effect.Effect<void> =>
  ms === 0 ? Effect.void : ms === Number.POSITIVE_INFINITY ? Effect.never : Effect.sleep(Duration.millis(ms))
