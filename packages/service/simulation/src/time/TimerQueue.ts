import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as TimerHeap from "./TimerHeap.ts"

/** Time of a queue, from a monotonic clock: changes of the system time do not matter. */
export interface Time {
  readonly elapsed_ms: () => number
  /** Sleeps for this much of it; undefined while time stands still. */
  readonly sleep: (wait_ms: number) => Effect.Effect<void> | undefined
}

/** A timer queue. One fiber sleeps for all timers. */
export interface TimerQueue<S extends TimerHeap.Timer> extends TimerHeap.TimerHeap<S> {
  /** The moment `wait_ms` from now, for a timer's `at`. */
  readonly after: (wait_ms: number) => number
  /** Computes the wait for the first timer again, after the speed of time changed. */
  readonly restart: () => void
}

/** A thousandth of a millisecond: sums of fractions are off by less. */
export const tolerance_ms = 0.001

/** Number of timers of one moment that run before other fibers do. */
const batch = 64

interface Alarm {
  readonly at: number
  fiber: Fiber.Fiber<void> | undefined
}

const timeOf = (clock: Clock.Clock): Time => ({
  elapsed_ms: () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6,
  sleep: (wait_ms) => clock.sleep(Duration.millis(wait_ms))
})

/** An empty queue, in the time of the clock around it unless another is given; `due` is told each timer at its moment. */
export const make = Effect.fnUntraced(function* <S extends TimerHeap.Timer>(due: (timer: S) => void, time?: Time) {
  const { elapsed_ms, sleep } = time ?? timeOf(yield* Clock.Clock)
  const fork = Effect.runForkWith(yield* Effect.context())
  const timers = TimerHeap.make<S>()
  let alarm: Alarm | undefined

  const ring = Effect.fnUntraced(function* (mine: Alarm) {
    if (alarm === mine) alarm = undefined
    for (let fired = 1; ; fired++) {
      const at = timers.next()
      if (at === undefined || at > elapsed_ms() + tolerance_ms) break
      const timer = timers.take()
      if (timer !== undefined) due(timer)
      if (fired % batch === 0) yield* Effect.yieldNow
    }
    setAlarm()
  })

  const silence = () => {
    alarm?.fiber?.interruptUnsafe()
    alarm = undefined
  }

  /** Sets an alarm for the first timer, unless an earlier one is set. An alarm that rings too early looks again. */
  const setAlarm = () => {
    const at = timers.next()
    if (at === undefined || (alarm !== undefined && alarm.at <= at)) return
    const slept = sleep(Math.max(0, at - elapsed_ms()))
    if (slept === undefined) return
    silence()
    const mine: Alarm = { at, fiber: undefined }
    alarm = mine
    mine.fiber = fork(Effect.andThen(slept, ring(mine)))
  }

  yield* Effect.addFinalizer(() => Effect.sync(silence))

  const queue: TimerQueue<S> = {
    ...timers,
    after: (wait_ms) => elapsed_ms() + wait_ms,
    add: (timer) => {
      timers.add(timer)
      setAlarm()
    },
    restart: () => {
      silence()
      setAlarm()
    }
  }
  return queue
})
