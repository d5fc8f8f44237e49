import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { send } from "../send.ts"
import { layerTest } from "../served.ts"

describe("the version of an unresponsive browser", () => {
  it.effect("is awaited for at most 5 seconds", () =>
    Effect.gen(function* () {
      const { body } = yield* send("POST", "/api/v4/browsers", { body: {} })
      const { pathname, search } = new URL(String(body["cdpUrl"]))
      const asked = yield* Effect.forkChild(send("GET", `${pathname}/json/version${search}`, { key: null }))
      while (asked.pollUnsafe() === undefined) {
        yield* TestClock.adjust("1 second")
        yield* TestClock.withLive(Effect.sleep("5 millis"))
      }
      const answer = yield* Fiber.join(asked)
      assert.strictEqual(answer.status, 504)
      assert.deepStrictEqual(answer.body, { detail: "The browser did not respond within 5 seconds" })
    }).pipe(Effect.provide(layerTest))
  )
})
