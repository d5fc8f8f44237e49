import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** By how many milliseconds the clock of the machine is off that carries out the current request. */
export const ClockSkew: Context.Reference<number> = Context.Reference("@webagent/simulation/ClockSkew", {
  defaultValue: () => 0
})

const make = (clock: Clock.Clock): Clock.Clock => ({
  currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  currentTimeMillis: Effect.map(ClockSkew, (by_ms) => clock.currentTimeMillisUnsafe() + by_ms),
  currentTimeNanos: Effect.map(
    ClockSkew,
    (by_ms) => clock.currentTimeNanosUnsafe() + BigInt(Math.round(by_ms)) * 1_000_000n
  ),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => clock.sleep(duration)
})

/**
 * The clock around, off by `ClockSkew` for effects that read it. Read unsafely, as the journal does, it is right:
 * handlers have the services from when they were made, so they do not see a clock that is given to one request only.
 */
export const layer: Layer.Layer<never> = Layer.effectContext(
  Effect.map(Clock.Clock, (clock): Context.Context<never> => Context.make(Clock.Clock, make(clock)))
)
