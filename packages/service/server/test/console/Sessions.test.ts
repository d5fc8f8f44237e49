import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { Caller } from "../../src/api/Caller.ts"
import * as Sessions from "../../src/console/Sessions.ts"

const caller: Caller = { name: "given", isAdmin: true, owner: null, key: null }

describe("sessions", () => {
  it.effect("end two hours after their last use", () =>
    Effect.gen(function* () {
      const { find, open } = yield* Sessions.make
      const token = yield* open(caller)
      yield* TestClock.adjust("119 minutes")
      assert.deepStrictEqual(yield* find(token), caller)
      yield* TestClock.adjust("119 minutes")
      assert.deepStrictEqual(yield* find(token), caller)
      yield* TestClock.adjust("120 minutes")
      assert.isUndefined(yield* find(token))
      assert.isUndefined(yield* find(token))
    })
  )

  it.effect("end after a week of use", () =>
    Effect.gen(function* () {
      const { find, open } = yield* Sessions.make
      const token = yield* open(caller)
      for (let hour = 1; hour < 7 * 24; hour++) {
        yield* TestClock.adjust("1 hour")
        assert.isDefined(yield* find(token), `hour ${hour}`)
      }
      yield* TestClock.adjust("1 hour")
      assert.isUndefined(yield* find(token))
    })
  )

  it.effect("have tokens that no one guesses, and end one by one", () =>
    Effect.gen(function* () {
      const { close, find, open } = yield* Sessions.make
      const [one, two] = [yield* open(caller), yield* open(caller)]
      assert.notStrictEqual(one, two)
      yield* close(one)
      assert.isUndefined(yield* find(one))
      assert.isDefined(yield* find(two))
      assert.isUndefined(yield* find(""))
    })
  )
})
