import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as TimerHeap from "./TimerHeap.ts"

/** What is to happen when. However many entries there are, one fiber sleeps. */
export interface TimerQueue<S extends TimerHeap.Timer> {
  /** The moment `wait_ms` from now, for an entry's `at`. */
  readonly after: (wait_ms: number) => number
  readonly add: (entry: S) => void
  /** Takes an entry out, if it is there. */
  readonly remove: (entry: S) => void
}

/** A thousandth of a millisecond: sums of fractions are off by less. */
const tolerance_ms = 0.001

/** How many entries of one moment are told before others have their turn. */
const batch = 64

interface Watch {
  readonly until: number
  fiber: Fiber.Fiber<void> | undefined
}

/** An empty timers; `due` is told each entry at its moment, in order, and what it answers is begun. */
export const make = Effect.fnUntraced(function* <S extends TimerHeap.Timer>(due: (entry: S) => Effect.Effect<void>) {
  const clock = yield* Clock.Clock
  const fork = Effect.runForkWith(yield* Effect.context())
  const entries = TimerHeap.make<S>()
  let watch: Watch | undefined

  // by a monotonic clock: changes of the system time do not matter
  const elapsed = (): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

  const tell = Effect.fnUntraced(function* (mine: Watch) {
    if (watch === mine) watch = undefined
    for (let told = 1; ; told++) {
      const at = entries.next()
      if (at === undefined || at > elapsed() + tolerance_ms) break
      const entry = entries.take()
      if (entry !== undefined) fork(due(entry))
      if (told % batch === 0) yield* Effect.yieldNow
    }
    look()
  })

  /** Sets a timer for the first entry. A timer that fires too early looks again. */
  const look = () => {
    const until = entries.next()
    if (until === undefined || (watch !== undefined && watch.until <= until)) return
    watch?.fiber?.interruptUnsafe()
    const mine: Watch = { until, fiber: undefined }
    watch = mine
    const wait = Duration.millis(Math.max(0, until - elapsed()))
    mine.fiber = fork(Effect.andThen(clock.sleep(wait), tell(mine)))
  }

  yield* Effect.addFinalizer(() => Effect.sync(() => watch?.fiber?.interruptUnsafe()))

  const timers: TimerQueue<S> = {
    after: (wait_ms) => elapsed() + wait_ms,
    add: (entry) => {
      entries.add(entry)
      look()
    },
    remove: entries.remove
  }
  return timers
})
