import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { Caller } from "../../src/api/Caller.ts"
import * as Sessions from "../../src/console/Sessions.ts"

const caller: Caller = { name: "given", isAdmin: true, owner: null, key: null }

const signIns = Sessions.make({ named: (name) => Effect.succeed(name === "given" ? caller : undefined) })

describe("console sessions", () => {
  it.effect("expire two hours after their last use", () =>
    Effect.gen(function* () {
      const { find, open } = yield* signIns
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

  it.effect("expire two hours after a person last used them, even if an open page keeps reading", () =>
    Effect.gen(function* () {
      const { find, open } = yield* signIns
      const token = yield* open(caller)
      for (let minute = 1; minute < 120; minute++) {
        yield* TestClock.adjust("1 minute")
        assert.isDefined(yield* find(token, false), `minute ${minute}`)
      }
      yield* TestClock.adjust("1 minute")
      assert.isUndefined(yield* find(token, false))
    })
  )

  it.effect("expire after a week of use", () =>
    Effect.gen(function* () {
      const { find, open } = yield* signIns
      const token = yield* open(caller)
      for (let hour = 1; hour < 7 * 24; hour++) {
        yield* TestClock.adjust("1 hour")
        assert.isDefined(yield* find(token), `hour ${hour}`)
      }
      yield* TestClock.adjust("1 hour")
      assert.isUndefined(yield* find(token))
    })
  )

  it.effect("are limited to 100 per key, and a new one replaces the oldest", () =>
    Effect.gen(function* () {
      const { find, open } = yield* signIns
      const first = yield* open(caller)
      yield* TestClock.adjust("1 second")
      const second = yield* open(caller)
      yield* TestClock.adjust("1 second")
      for (let count = 2; count < 100; count++) yield* open(caller)
      assert.isDefined(yield* find(first))
      yield* open(caller)
      assert.isUndefined(yield* find(first))
      assert.isDefined(yield* find(second))
    })
  )

  it.effect("have unguessable tokens, and can be ended one by one", () =>
    Effect.gen(function* () {
      const { close, find, open } = yield* signIns
      const [one, two] = [yield* open(caller), yield* open(caller)]
      assert.notStrictEqual(one, two)
      yield* close(one)
      assert.isUndefined(yield* find(one))
      assert.isDefined(yield* find(two))
      assert.isUndefined(yield* find(""))
    })
  )
})
