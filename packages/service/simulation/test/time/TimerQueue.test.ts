import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { Timer } from "../../src/time/TimerHeap.ts"
import * as TimerQueue from "../../src/time/TimerQueue.ts"

interface Entry extends Timer {
  readonly name: string
}

/** A timers, and what it told with the time of each. */
const noting = Effect.gen(function* () {
  const told: Array<string> = []
  const clock = yield* Clock.Clock
  const timers = yield* TimerQueue.make((entry: Entry) => {
    told.push(`${entry.name} ${clock.currentTimeMillisUnsafe()}`)
  })
  const add = (name: string, wait_ms: number): Entry => {
    const entry = { name, at: timers.after(wait_ms), ordinal: 0, place: -1 }
    timers.add(entry)
    return entry
  }
  return { add, told, remove: timers.remove }
})

describe("TimerQueue", () => {
  it.effect("calls each entry at its time, in order, however it was added", () =>
    Effect.gen(function* () {
      const { add, told } = yield* noting
      for (const wait of [30, 10, 20, 10, 0]) add(`after ${wait}`, wait)
      yield* TestClock.adjust(15)
      add("added at 15", 0)
      add("added at 15", 2)
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(told, [
        "after 0 0",
        "after 10 10",
        "after 10 10",
        "added at 15 15",
        "added at 15 17",
        "after 20 20",
        "after 30 30"
      ])
      add("later", 5)
      yield* TestClock.adjust(5)
      assert.strictEqual(told.at(-1), "later 120")
    })
  )

  it.effect("skips an entry that was removed, and calls the others", () =>
    Effect.gen(function* () {
      const { add, remove, told } = yield* noting
      const first = add("first", 10)
      add("second", 20)
      remove(first)
      remove(first)
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(told, ["second 20"])
    })
  )

  it.effect("calls all entries of one moment, and a called entry may add others", () =>
    Effect.gen(function* () {
      const told: Array<number> = []
      const timers: TimerQueue.TimerQueue<Timer> = yield* TimerQueue.make(() => {
        told.push(told.length)
        if (told.length <= 500) timers.add({ at: timers.after(7), ordinal: 0, place: -1 })
      })
      for (let count = 0; count < 500; count++) timers.add({ at: timers.after(5), ordinal: 0, place: -1 })
      yield* TestClock.adjust(11)
      assert.lengthOf(told, 500)
      yield* TestClock.adjust(1)
      assert.lengthOf(told, 1000)
    })
  )

  it.effect("calls nothing more once it is closed", () =>
    Effect.gen(function* () {
      const { told } = yield* Effect.scoped(Effect.tap(noting, ({ add }) => Effect.sync(() => add("never", 10))))
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(told, [])
    })
  )
})
