import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** The time that an attempt waited for people. */
export interface Pauses {
  /** The time so far, in milliseconds. */
  readonly paused_ms: Effect.Effect<number>
  /** Waits, and counts the time. */
  readonly pausing: <A, E>(wait: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** Makes the pauses of an attempt that has had none. */
export const make = (): Pauses => {
  let paused_ms = 0
  let since_ms: number | null = null
  return {
    paused_ms: Effect.map(Clock.currentTimeMillis, (now_ms) => paused_ms + (now_ms - (since_ms ?? now_ms))),
    pausing: <A, E>(wait: Effect.Effect<A, E>) =>
      Effect.gen(function* () {
        const began_ms = yield* Clock.currentTimeMillis
        since_ms = began_ms
        const result = yield* wait
        paused_ms += (yield* Clock.currentTimeMillis) - began_ms
        since_ms = null
        return result
      })
  }
}
