import type * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { Elapsed } from "@webagent/polling"

/** A point in time with a callback. */
export interface Deadline {
  /** When it is over, as `Elapsed` counts: `set` says it. */
  at_ms: number
  readonly onEnd: () => void
}

/** Deadlines that are all as far away when they are set. */
export interface Deadlines {
  /** Calls `onEnd` when the time is over, unless it is cleared before. */
  readonly set: (clock: Clock.Clock, context: Context.Context<never>, now_ms: number, deadline: Deadline) => void
  readonly clear: (deadline: Deadline) => void
}

/** Deadlines that are `after` away: what is set first is over first, so that one fiber sleeps for all. */
export const make = (after: Duration.Duration): Deadlines => {
  const after_ms = Duration.toMillis(after)
  // in the order in which they are over. No Map: its tables refer to the next table, and once V8 holds one of them for
  // old, all that was set later lives until the next full collection: 30 MB, and a tenth of the CPU time of a client
  const waiting: Array<Deadline> = []
  let timer: Fiber.Fiber<void> | undefined
  /** Those by another clock: the times of two cannot be compared. */
  let others: Deadlines | undefined

  const sleep = (clock: Clock.Clock, context: Context.Context<never>, now_ms: number) => {
    const [first] = waiting
    if (first === undefined || timer !== undefined) return
    timer = Effect.runForkWith(context)(clock.sleep(Duration.millis(first.at_ms - now_ms)))
    timer.addObserver((exit) => {
      if (exit._tag === "Failure") return
      timer = undefined
      // a timer of the system may be early by a fraction
      const woken_ms = Math.max(first.at_ms, Elapsed.nowUnsafe_ms(clock))
      while (waiting[0] !== undefined && waiting[0].at_ms <= woken_ms) waiting.shift()?.onEnd()
      sleep(clock, context, woken_ms)
    })
  }

  let clock: Clock.Clock
  return {
    set: (by, context, now_ms, deadline) => {
      if (waiting.length === 0) clock = by
      if (by !== clock) return (others ??= make(after)).set(by, context, now_ms, deadline)
      deadline.at_ms = now_ms + after_ms
      waiting.push(deadline)
      sleep(by, context, now_ms)
    },
    clear: (deadline) => {
      const at = waiting.indexOf(deadline)
      if (at < 0) return others?.clear(deadline)
      waiting.splice(at, 1)
      if (waiting.length > 0) return
      // a timer would keep the process from ending
      timer?.interruptUnsafe()
      timer = undefined
    }
  }
}
