import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as BrowserPlaces from "../src/BrowserPlaces.ts"
import type { LaunchFailed, LaunchWait } from "../src/ports/BrowserPool.ts"

const wait: LaunchWait = { onRefused: () => {}, onPlace: () => {}, over: Effect.never }

/** Places, one for each owner at most, by a check that takes a second. */
const open = Effect.fnUntraced(function* (most: number) {
  const places = yield* BrowserPlaces.make({
    most,
    perOwner: { most: 1, applies: () => Effect.as(Effect.sleep("1 second"), true) }
  })
  const take = (owner: string, waits = true) =>
    Effect.forkChild(
      Effect.uninterruptibleMask((restore) =>
        places.take({ owner, sessionId: null }, waits ? wait : undefined, restore)
      ),
      { startImmediately: true }
    )
  return { ...places, take }
})

const hasPlace = (launch: Fiber.Fiber<void, LaunchFailed>) => {
  const exit = launch.pollUnsafe()
  return exit !== undefined && Exit.isSuccess(exit)
}

describe("a place that gets free", () => {
  it.effect("goes to a waiting launch, and not to one that comes later and doesn't wait", () =>
    Effect.gen(function* () {
      const places = yield* open(1)
      yield* Fiber.join(yield* places.take("ann"))
      const waiting = yield* places.take("ann")
      yield* TestClock.adjust("3 seconds")
      assert.isFalse(hasPlace(waiting))
      places.release("ann")
      const late = yield* places.take("bob", false)
      yield* TestClock.adjust("5 seconds")
      assert.isTrue(hasPlace(waiting))
      assert.include(yield* Effect.flip(Fiber.join(late)), { reason: "full" })
      assert.strictEqual(places.taken(), 1)
    }).pipe(Effect.scoped)
  )

  it.effect("goes to a launch that doesn't wait if the waiting ones can't have it", () =>
    Effect.gen(function* () {
      const places = yield* open(2)
      yield* Fiber.join(yield* places.take("ann"))
      const waiting = yield* places.take("ann")
      yield* TestClock.adjust("3 seconds")
      const other = yield* places.take("bob", false)
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual([hasPlace(waiting), hasPlace(other)], [false, true])
      const second = yield* places.take("ann", false)
      yield* TestClock.adjust("3 seconds")
      assert.include(yield* Effect.flip(Fiber.join(second)), { reason: "full" })
    }).pipe(Effect.scoped)
  )
})
