import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { aheadOf } from "../../src/targets/Introspection.ts"

/** A server whose clock is ahead, asked over a network that takes so long each way. */
const measured = (ahead_ms: number, ways_ms: ReadonlyArray<readonly [there: number, back: number]>) =>
  Effect.gen(function* () {
    let look = 0
    const realNow_ms = Effect.gen(function* () {
      const [there, back] = ways_ms[look++] ?? [0, 0]
      yield* Effect.sleep(there)
      const now_ms = (yield* Clock.currentTimeMillis) + ahead_ms
      yield* Effect.sleep(back)
      return now_ms
    })
    const fiber = yield* Effect.forkChild(aheadOf(realNow_ms))
    yield* TestClock.adjust("10 seconds")
    return yield* Fiber.join(fiber)
  })

describe("the offset of a server's clock", () => {
  it.effect("is measured by the fastest of several requests", () =>
    Effect.gen(function* () {
      const ways = [
        [400, 10],
        [6, 4],
        [10, 900]
      ] as const
      assert.strictEqual(yield* measured(90_000, ways), 90_001)
      assert.strictEqual(yield* measured(-5000, ways), -4999)
    })
  )

  it.effect("is undefined if no request could measure it", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* measured(8, [
          [5, 5],
          [5, 5],
          [5, 5]
        ]),
        0
      )
      assert.strictEqual(
        yield* measured(0, [
          [9, 1],
          [1, 9],
          [9, 1]
        ]),
        0
      )
    })
  )
})
