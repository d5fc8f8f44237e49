import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as TestClock from "effect/testing/TestClock"
import { PollBudget } from "../src/index.ts"

/** The instants at which `count` simultaneous takers are let through. */
const instants = (count: number) =>
  Effect.gen(function* () {
    const budget = yield* PollBudget
    const passed: Array<number> = []
    yield* Effect.forkChild(
      Effect.forEach(
        Array.from({ length: count }),
        () =>
          Effect.andThen(
            budget.take,
            Effect.map(Clock.currentTimeMillis, (now) => passed.push(now))
          ),
        { concurrency: "unbounded", discard: true }
      )
    )
    yield* TestClock.adjust("10 seconds")
    return passed
  })

describe("PollBudget", () => {
  it.effect.each([
    { perSecond: Number.NaN },
    { perSecond: 0 },
    { perSecond: -1 },
    { burst: -1 },
    { burst: Number.NaN }
  ])("refuses %j", (options) =>
    Effect.map(Effect.exit(Effect.provide(instants(1), PollBudget.layer(options))), (exit) => {
      if (Exit.isSuccess(exit)) return assert.fail("it should be refused")
      assert.match(String(Cause.squash(exit.cause)), /^RangeError: perSecond has to be above 0, and burst not below$/u)
    })
  )

  it.effect("allows a burst at once, and spreads the rest evenly", () =>
    Effect.map(instants(6), (passed) => assert.deepStrictEqual(passed, [0, 0, 0, 100, 200, 300])).pipe(
      Effect.provide(PollBudget.layer({ perSecond: 10, burst: 3 }))
    )
  )

  it.effect("refills while there is no poll, up to one burst", () =>
    Effect.gen(function* () {
      yield* instants(3)
      assert.deepStrictEqual(yield* instants(5), [10_000, 10_000, 10_000, 10_100, 10_200])
    }).pipe(Effect.provide(PollBudget.layer({ perSecond: 10, burst: 3 })))
  )

  it.effect("allows 50 polls per second and a burst of 10 by default", () =>
    Effect.map(instants(100), (passed) => {
      assert.strictEqual(passed.filter((at) => at === 0).length, 10)
      assert.strictEqual(passed.at(-1), 1800)
    }).pipe(Effect.provide(PollBudget.layer()))
  )

  it.effect("layerUnlimited holds no poll back", () =>
    Effect.map(instants(1000), (passed) => assert.isTrue(passed.every((at) => at === 0))).pipe(
      Effect.provide(PollBudget.layerUnlimited)
    )
  )

  it.effect("orDefault is the provided budget, otherwise a new one", () =>
    Effect.gen(function* () {
      const own = yield* PollBudget.orDefault
      assert.notStrictEqual(own, yield* PollBudget.orDefault)
      const provided = yield* Effect.provide(Effect.all([PollBudget.orDefault, PollBudget]), PollBudget.layer())
      assert.strictEqual(provided[0], provided[1])
    })
  )
})
