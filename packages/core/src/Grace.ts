import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Elapsed from "./Elapsed.ts"

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
      Effect.map(Elapsed.now_ms, (now) => {
        for (const [old, at] of created_ms) {
          if (now - at < window_ms) break
          created_ms.delete(old)
        }
        created_ms.set(id, now)
      }),
    forgive: (id, read, isAbsent) => {
      const again: typeof read = read.pipe(
        Effect.catch((error) => {
          const at = created_ms.get(id)
          if (at === undefined || !isAbsent(error)) return Effect.fail(error)
          return Effect.flatMap(Elapsed.now_ms, (now) =>
            now - at < window_ms ? Effect.andThen(Effect.sleep("500 millis"), again) : Effect.fail(error)
          )
        })
      )
      return again
    }
  }
}
