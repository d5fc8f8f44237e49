import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** Forgives a service that does not find, for a moment, what it has just created. */
export interface Grace {
  /** Notes that an id was created now. */
  readonly remember: (id: string) => Effect.Effect<void>
  /** Reads again while the read says "absent" of an id that was created within the window. */
  readonly forgive: <A, E, R>(
    id: string,
    read: Effect.Effect<A, E, R>,
    isAbsent: (error: E) => boolean
  ) => Effect.Effect<A, E, R>
}

/** A grace of 5 seconds unless told otherwise. */
export const make = (window: Duration.Input = "5 seconds"): Grace => {
  const window_ms = Duration.toMillis(window)
  const created_ms = new Map<string, number>()
  return {
    remember: (id) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        for (const [old, at] of created_ms) {
          if (now - at < window_ms) break
          created_ms.delete(old)
        }
        created_ms.set(id, now)
      }),
    forgive: (id, read, isAbsent) =>
      Effect.retry(read, {
        schedule: Schedule.spaced("500 millis"),
        while: (error) =>
          isAbsent(error) && created_ms.has(id)
            ? Effect.map(Clock.currentTimeMillis, (now) => now - (created_ms.get(id) ?? 0) < window_ms)
            : Effect.succeed(false)
      })
  }
}
