import type * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Elapsed from "./Elapsed.ts"

/** Deadlines that are all as far away when they are set. */
export interface Deadlines {
  /** Calls `onEnd` when the time is over, unless what this gives was called before. */
  readonly set: (clock: Clock.Clock, context: Context.Context<never>, now_ms: number, onEnd: () => void) => () => void
}

/** Deadlines that are `after` away: what is set first is over first, so that one fiber sleeps for all. */
export const make = (after: Duration.Duration): Deadlines => {
  // when each is over, in that order
  const waiting = new Map<() => void, number>()
  let sleeper: Fiber.Fiber<void> | undefined

  const sleep = (clock: Clock.Clock, context: Context.Context<never>, now_ms: number) => {
    const [first] = waiting.values()
    if (first === undefined || sleeper !== undefined) return
    sleeper = Effect.runForkWith(context)(clock.sleep(Duration.millis(first - now_ms)))
    sleeper.addObserver((exit) => {
      if (exit._tag === "Failure") return
      sleeper = undefined
      // a timer of the system may be early by a fraction
      const woken_ms = Math.max(first, Elapsed.read_ms(clock))
      for (const [onEnd, at_ms] of waiting) {
        if (at_ms > woken_ms) break
        waiting.delete(onEnd)
        onEnd()
      }
      sleep(clock, context, woken_ms)
    })
  }

  let clock: Clock.Clock
  return {
    set: (by, context, now_ms, onEnd) => {
      if (waiting.size === 0) clock = by
      // the times of two clocks cannot be compared
      if (by !== clock) return make(after).set(by, context, now_ms, onEnd)
      waiting.set(onEnd, now_ms + Duration.toMillis(after))
      sleep(by, context, now_ms)
      return () => {
        waiting.delete(onEnd)
        if (waiting.size > 0) return
        // a timer would keep the process from ending
        sleeper?.interruptUnsafe()
        sleeper = undefined
      }
    }
  }
}
