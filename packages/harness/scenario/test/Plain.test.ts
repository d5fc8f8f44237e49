import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { type PlainContext, tell } from "../src/Plain.ts"
import type { ScenarioContext } from "../src/ScenarioContext.ts"
import * as Oracle from "../src/PlainOracle.ts"
import { UnawaitedCall } from "../src/UnawaitedCall.ts"
import { whereOf } from "../src/Where.ts"

const context: ScenarioContext = JSON.parse('{ "v2": {}, "v3": {}, "v4": { "runs": {} }, "control": {} }')

/** A story whose `v4.runs.get` waits until it is stopped. */
const told = Effect.fnUntraced(function* (story: (context: PlainContext) => unknown) {
  const stopped = yield* Deferred.make<void>()
  const get = () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, undefined))
  Object.assign(context.v4.runs, { get })
  const exit = yield* Effect.exit(Effect.scoped(tell(story, context)))
  return { exit, stopped }
})

describe("a plain scenario", () => {
  it.effect("fails if it ends before a call, which is named and stopped", () =>
    Effect.gen(function* () {
      const { exit, stopped } = yield* told(({ v4 }) => {
        void v4.runs.get("r-1")
      })
      const error = yield* Effect.flip(exit)
      assert.instanceOf(error, UnawaitedCall)
      assert.strictEqual(error.message, "the scenario ended before v4.runs.get did. Await the call.")
      assert.match(whereOf(error, "test/Plain.test.ts") ?? "", /^test\/Plain\.test\.ts:27$/u)
      yield* Deferred.await(stopped)
    })
  )

  it.effect("has its API key as a string, and oracles that return promises", () =>
    Effect.gen(function* () {
      Object.assign(context, { apiKey: Redacted.make("wak_test") })
      const judge = (orders: number) => (orders === 1 ? Oracle.holds("one order") : Oracle.refuted("1", `${orders}`))
      const { exit } = yield* told(async ({ apiKey, check }) => {
        check.equal(apiKey, "wak_test")
        await check.oracle(
          "one order",
          Oracle.make(async () => 1, judge)
        )
        await check.oracle("two orders", () => judge(2))
      })
      const error = yield* Effect.flip(exit) as Effect.Effect<Error>
      assert.include(error.message, "two orders")
    })
  )

  it.effect("check.fails returns a client's error with its type, and any other by its tag", () =>
    Effect.gen(function* () {
      Object.assign(context.v4.runs, { cancel: () => Effect.fail({ _tag: "RunNotFoundError", detail: "no run" }) })
      const seen: Array<string> = []
      const { exit } = yield* told(async ({ check, v4 }) => {
        const { detail } = await check.fails(v4.runs.cancel("r-1"), "RunNotFoundError")
        seen.push(detail)
        const { _tag, shop } = await check.fails(Promise.reject({ _tag: "Closed", shop: "mugs" }), "Closed")
        seen.push(_tag, String(shop))
        // @ts-expect-error -- no client's error has this tag
        await check.fails(v4.runs.cancel("r-1"), "RunNotFound")
      })
      const error = yield* Effect.flip(exit) as Effect.Effect<Error>
      assert.deepStrictEqual(seen, ["no run", "Closed", "mugs"])
      assert.include(error.message, "an error RunNotFound")
    })
  )

  it.effect("names every such call", () =>
    Effect.gen(function* () {
      const { exit } = yield* told(({ use, v4 }) => {
        void v4.runs.get("r-1")
        void use(Effect.never)
      })
      const { message } = yield* Effect.flip(exit) as Effect.Effect<Error>
      assert.strictEqual(message, "the scenario ended before v4.runs.get, use did. Await the calls.")
    })
  )

  it.effect("fails with its own error, and stops its pending calls", () =>
    Effect.gen(function* () {
      const { exit, stopped } = yield* told(({ v4 }) =>
        Promise.all([v4.runs.get("r-1"), Promise.reject(new Error("no shop"))])
      )
      const { message } = yield* Effect.flip(exit) as Effect.Effect<Error>
      assert.strictEqual(message, "no shop")
      yield* Deferred.await(stopped)
    })
  )

  it.effect("may finish without a call that it doesn't wait for", () =>
    Effect.gen(function* () {
      const { exit } = yield* told(async ({ use }) => {
        void use(Effect.succeed(1))
        await use(Effect.sleep(0))
      })
      yield* exit
    })
  )

  it.effect("cleans up when its trial is stopped", () =>
    Effect.gen(function* () {
      const cleaned = yield* Deferred.make<void>()
      const waiting = yield* Deferred.make<void>()
      const telling = yield* Effect.forkChild(
        told(async ({ v4 }) => {
          try {
            Deferred.doneUnsafe(waiting, Effect.void)
            await v4.runs.get("r-1")
          } finally {
            Deferred.doneUnsafe(cleaned, Effect.void)
          }
        })
      )
      yield* Deferred.await(waiting)
      yield* Fiber.interrupt(telling)
      yield* Deferred.await(cleaned)
    })
  )
})
