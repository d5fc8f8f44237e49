import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { Grace } from "../src/index.ts"
import { withSettable } from "./settable.ts"

/** A read that says "absent" until `appears_ms`, and the instants of its attempts. */
const appearing = (appears_ms: number) => {
  const at: Array<number> = []
  const read = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    at.push(now)
    return now >= appears_ms ? Effect.succeed("here") : Effect.fail("absent" as const)
  })
  return { at, read }
}

const isAbsent = (error: string) => error === "absent"

describe("Grace", () => {
  it.effect("repeats a read while a new resource isn't found", () =>
    Effect.gen(function* () {
      const grace = Grace.make()
      yield* grace.remember("a")
      const { at, read } = appearing(1200)
      const fiber = yield* Effect.forkChild(grace.forgive("a", read, isAbsent))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "here")
      assert.deepStrictEqual(at, [0, 500, 1000, 1500])
    })
  )

  it.effect("fails after five seconds", () =>
    Effect.gen(function* () {
      const grace = Grace.make()
      yield* grace.remember("a")
      const { at, read } = appearing(Number.POSITIVE_INFINITY)
      const fiber = yield* Effect.forkChild(Effect.flip(grace.forgive("a", read, isAbsent)))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "absent")
      assert.strictEqual(at.at(-1), 5000)
    })
  )

  it.effect("fails at once for an unknown id and for other errors", () =>
    Effect.gen(function* () {
      const grace = Grace.make()
      const { at, read } = appearing(1000)
      assert.strictEqual(yield* Effect.flip(grace.forgive("b", read, isAbsent)), "absent")
      yield* grace.remember("b")
      assert.strictEqual(yield* Effect.flip(grace.forgive("b", read, () => false)), "absent")
      assert.strictEqual(at.length, 2)
    })
  )

  it.effect.each([-3_600_000, 3_600_000])("lasts five seconds even if the clock is set by %i ms", (by_ms) =>
    withSettable((set) =>
      Effect.gen(function* () {
        const grace = Grace.make()
        yield* grace.remember("a")
        let reads = 0
        const read = Effect.suspend(() => (++reads < 5 ? Effect.fail("absent") : Effect.succeed("here")))
        const late = Effect.suspend(() => (++reads, Effect.fail("absent")))
        const fiber = yield* Effect.forkChild(grace.forgive("a", read, isAbsent))
        yield* TestClock.adjust("1 second")
        set(by_ms)
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* Fiber.join(fiber), "here")
        yield* TestClock.adjust("3 seconds")
        reads = 0
        assert.strictEqual(yield* Effect.flip(grace.forgive("a", late, isAbsent)), "absent")
        assert.strictEqual(reads, 1)
      })
    )
  )
})
