import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as ReadWriteLock from "../src/ReadWriteLock.ts"

const begin = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

describe("ReadWriteLock", () => {
  it.effect("who holds it waits for those inside and is alone; who comes later passes after that", () =>
    Effect.gen(function* () {
      const lock = ReadWriteLock.make()
      const events: Array<string> = []
      const step = (name: string, seconds: number) =>
        Effect.gen(function* () {
          events.push(`${name} in`)
          yield* Effect.sleep(`${seconds} seconds`)
          events.push(`${name} out`)
        })
      const fibers = yield* Effect.all([
        begin(lock.shared(step("a", 2))),
        begin(lock.shared(step("b", 1))),
        begin(lock.exclusive(step("holder", 3))),
        begin(lock.exclusive(step("second holder", 1))),
        begin(lock.shared(step("c", 1)))
      ])
      yield* TestClock.adjust("1 minute")
      yield* Fiber.joinAll(fibers)
      assert.deepStrictEqual(events.slice(0, 6), ["a in", "b in", "b out", "a out", "holder in", "holder out"])
      // which of the two comes next is open, that they do not overlap is not
      assert.sameMembers(
        [events.slice(6, 8).join(), events.slice(8).join()],
        ["second holder in,second holder out", "c in,c out"]
      )
    })
  )

  it.effect("opens again after a failure on either side", () =>
    Effect.gen(function* () {
      const lock = ReadWriteLock.make()
      yield* Effect.flip(lock.shared(Effect.fail("a")))
      yield* Effect.flip(lock.exclusive(Effect.fail("b")))
      assert.strictEqual(yield* lock.exclusive(Effect.succeed(1)), 1)
      assert.strictEqual(yield* lock.shared(Effect.succeed(2)), 2)
    })
  )
})
