import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as BrowserControl from "../src/BrowserControl.ts"

describe("BrowserControl", () => {
  it.effect("has one driver, who can extend control until releasing it", () =>
    Effect.gen(function* () {
      const control = BrowserControl.make()
      const first = yield* control.take("b", "ann", 1000)
      const taken = yield* Effect.flip(control.take("b", "bob", 1000))
      assert.strictEqual(taken.control.driver, "ann")
      assert.strictEqual((yield* Effect.flip(control.release("b", "bob"))).control.driver, "ann")
      yield* TestClock.adjust(500)
      const extended = yield* control.take("b", "ann", 1000)
      assert.deepStrictEqual(extended, { ...first, until_ms: 1500, isNew: false })
      assert.strictEqual((yield* control.take("other", "bob", 1000)).driver, "bob")
      yield* control.release("b", "ann")
      assert.isNull(yield* control.of("b"))
      assert.notStrictEqual((yield* control.take("b", "bob", 1000)).id, first.id)
      yield* control.release("b")
      assert.isNull(yield* control.of("b"))
    })
  )

  it.effect("makes the agent wait until control is released or has expired, including extensions", () =>
    Effect.gen(function* () {
      const control = BrowserControl.make()
      yield* control.free("b")
      yield* control.take("b", "ann", 1000)
      const waiting = yield* Effect.forkChild(control.free("b"))
      yield* TestClock.adjust(900)
      yield* control.take("b", "ann", 1000)
      yield* TestClock.adjust(900)
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust(200)
      yield* Fiber.join(waiting)
      assert.isNull(yield* control.of("b"))
      yield* control.take("b", "ann", 60_000)
      const released = yield* Effect.forkChild(control.free("b"))
      yield* TestClock.adjust(1)
      yield* control.release("b", "ann")
      yield* Fiber.join(released)
    })
  )

  it.effect("takes control only once that is stored, and pauses the agent meanwhile", () =>
    Effect.gen(function* () {
      const control = BrowserControl.make()
      const handedBack = yield* Effect.forkChild(control.handedBack("b"), { startImmediately: true })
      const refused = yield* Effect.flip(
        control.take("b", "ann", 1000, () =>
          Effect.gen(function* () {
            assert.isTrue(control.isHeld("b"))
            const late = yield* Effect.forkChild(control.handedBack("b"), { startImmediately: true })
            yield* Effect.yieldNow
            assert.isUndefined(late.pollUnsafe())
            yield* Fiber.interrupt(late)
            return yield* Effect.fail("refused")
          })
        )
      )
      assert.strictEqual(refused, "refused")
      assert.isNull(yield* control.of("b"))
      yield* control.free("b")
      yield* TestClock.adjust("1 hour")
      assert.isUndefined(handedBack.pollUnsafe())
    })
  )

  it.effect("keeps control with a driver whose extension couldn't be stored", () =>
    Effect.gen(function* () {
      const control = BrowserControl.make()
      yield* control.take("b", "ann", 1000)
      yield* TestClock.adjust(500)
      yield* Effect.flip(control.take("b", "ann", 1000, () => Effect.fail("refused")))
      assert.strictEqual((yield* control.of("b"))?.driver, "ann")
      assert.strictEqual((yield* control.of("b"))?.until_ms, 1000)
      yield* TestClock.adjust(500)
      assert.isNull(yield* control.of("b"))
    })
  )

  it.effect("ends with its browser", () =>
    Effect.gen(function* () {
      const control = BrowserControl.make()
      yield* control.take("b", "ann", 60_000)
      const waiting = yield* Effect.forkChild(control.free("b"))
      yield* TestClock.adjust(1)
      control.forget("b")
      yield* Fiber.join(waiting)
      assert.isNull(yield* control.of("b"))
    })
  )
})
