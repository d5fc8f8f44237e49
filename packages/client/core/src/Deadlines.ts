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
  // in the order in which they are over. No Map: its tables refer to the next table, and once V8 holds one of them for
  // old, all that was set later lives until the next full collection: 30 MB, and a tenth of the CPU time of a client
  const waiting: Array<{ readonly at_ms: number; readonly onEnd: () => void }> = []
  let timer: Fiber.Fiber<void> | undefined

  const sleep = (clock: Clock.Clock, context: Context.Context<never>, now_ms: number) => {
    const [first] = waiting
    if (first === undefined || timer !== undefined) return
    timer = Effect.runForkWith(context)(clock.sleep(Duration.millis(first.at_ms - now_ms)))
    timer.addObserver((exit) => {
      if (exit._tag === "Failure") return
      timer = undefined
      // a timer of the system may be early by a fraction
      const woken_ms = Math.max(first.at_ms, Elapsed.read_ms(clock))
      while (waiting[0] !== undefined && waiting[0].at_ms <= woken_ms) waiting.shift()?.onEnd()
      sleep(clock, context, woken_ms)
    })
  }

  let clock: Clock.Clock
  return {
    set: (by, context, now_ms, onEnd) => {
      if (waiting.length === 0) clock = by
      // the times of two clocks cannot be compared
      if (by !== clock) return make(after).set(by, context, now_ms, onEnd)
      const set = { at_ms: now_ms + Duration.toMillis(after), onEnd }
      waiting.push(set)
      sleep(by, context, now_ms)
      return () => {
        const at = waiting.indexOf(set)
        if (at >= 0) waiting.splice(at, 1)
        if (waiting.length > 0) return
        // a timer would keep the process from ending
        timer?.interruptUnsafe()
        timer = undefined
      }
    }
  }
}
