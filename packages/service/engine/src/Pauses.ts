import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { BrowserControl } from "./BrowserControl.ts"
import type { Attempt } from "./ports/Agent.ts"

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

/** Makes the waits of an attempt for persons who have control of its browser. */
export const whileDriven = (
  control: BrowserControl,
  pausing: Pauses["pausing"],
  browserId: () => string | null
): Pick<Attempt, "untilFree"> & { readonly paused: Effect.Effect<unknown> } => {
  /** The last take of the browser when the agent called last. */
  let seenTake: string | undefined
  const paused = Effect.suspend((): Effect.Effect<unknown> => {
    const id = browserId()
    return id === null ? Effect.void : pausing(control.free(id))
  })
  const untilFree = Effect.map(paused, () => {
    const id = browserId()
    const take = id === null ? undefined : control.lastTake(id)
    const isNew = take !== seenTake
    seenTake = take
    return isNew
  })
  return { paused, untilFree }
}
