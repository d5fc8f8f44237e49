import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Deadlines from "../src/Deadlines.ts"
import { Elapsed } from "@webagent/polling"

/** A clock that counts who sleeps by it. */
const counted = (clock: Clock.Clock) => {
  const count = { sleeping: 0, slept: 0 }
  const sleep = (time: Duration.Duration) =>
    Effect.suspend(() => {
      count.sleeping++
      count.slept++
      return Effect.ensuring(
        clock.sleep(time),
        Effect.sync(() => count.sleeping--)
      )
    })
  return { clock: Object.create(clock, { sleep: { value: sleep } }) as Clock.Clock, count }
}

/** Deadlines of ten seconds, by a clock that is counted, and the seconds at which they were over. */
const set = Effect.map(Effect.context<never>(), (context) => {
  const deadlines = Deadlines.make(Duration.seconds(10))
  const over: Array<readonly [name: string, at_s: number]> = []
  return {
    over,
    begin: (name: string, clock: Clock.Clock, onEnd = () => {}) => {
      const deadline = {
        at_ms: 0,
        onEnd: () => {
          over.push([name, Elapsed.nowUnsafe_ms(clock) / 1000])
          onEnd()
        }
      }
      deadlines.set(clock, context, Elapsed.nowUnsafe_ms(clock), deadline)
      return () => deadlines.clear(deadline)
    }
  }
})

describe("Deadlines", () => {
  it.effect("each expires at its time, unless it was cleared", () =>
    Effect.gen(function* () {
      const { clock } = counted(yield* Clock.Clock)
      const { begin, over } = yield* set
      const a = begin("a", clock)
      yield* TestClock.adjust("3 seconds")
      begin("b", clock)
      const c = begin("c", clock)
      yield* TestClock.adjust("4 seconds")
      begin("d", clock)
      a()
      c()
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(over, [
        ["b", 13],
        ["d", 17]
      ])
    })
  )

  it.effect("share one sleeping fiber, which ends with the last of them", () =>
    Effect.gen(function* () {
      const { clock, count } = counted(yield* Clock.Clock)
      const { begin } = yield* set
      const clear = Array.from({ length: 100 }, (_, i) => begin(String(i), clock))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(count, { sleeping: 1, slept: 1 })
      for (const each of clear) each()
      for (const each of clear) each()
      yield* TestClock.adjust("1 second")
      assert.strictEqual(count.sleeping, 0)
      begin("last", clock)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(count, { sleeping: 0, slept: 2 })
    })
  )

  it.effect("one that has expired can set another", () =>
    Effect.gen(function* () {
      const { clock } = counted(yield* Clock.Clock)
      const { begin, over } = yield* set
      begin("a", clock, () => void begin("b", clock))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(over, [
        ["a", 10],
        ["b", 20]
      ])
    })
  )

  it.effect("each uses its own clock", () =>
    Effect.gen(function* () {
      const { clock } = counted(yield* Clock.Clock)
      const other = yield* TestClock.make()
      const { begin, over } = yield* set
      begin("a", clock)
      begin("b", other)
      begin("cleared", other)()
      yield* other.adjust("1 minute")
      assert.deepStrictEqual(
        over.map(([name]) => name),
        ["b"]
      )
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(
        over.map(([name]) => name),
        ["b", "a"]
      )
    })
  )
})
