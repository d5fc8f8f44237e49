import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Runs `effect` by a clock whose time of day can be set, as an administrator or NTP does. */
export const withSettable = <A, E, R>(effect: (set: (by_ms: number) => void) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Clock.Clock, (clock) => {
    let set_ms = 0
    const now_ms = () => clock.currentTimeMillisUnsafe() + set_ms
    const settable: Clock.Clock = Object.create(clock, {
      currentTimeMillisUnsafe: { value: now_ms },
      currentTimeMillis: { value: Effect.sync(now_ms) }
    })
    return Effect.provideService(
      effect((by_ms) => (set_ms += by_ms)),
      Clock.Clock,
      settable
    )
  })
