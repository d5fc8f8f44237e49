import { assert } from "@effect/vitest"
import { Browser, Store } from "@webagent/engine"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { browserStep, change, commit, creation, finish, keyed, type StoreTest } from "./steps.ts"

/** Tests the deletion of old records. */
export const retention = (test: StoreTest): void => {
  test("deletes records that have been finished for long enough, the oldest first, and no unfinished ones", function* () {
    const store = yield* Store
    for (const [index, each] of ["1", "2", "3", "4"].entries()) {
      yield* commit({ ...creation(each, index), key: keyed(each, index) })
    }
    const message = { id: "m1", sessionId: "s1", turnId: "t1", owner: null, interrupt: false, createdAt_ms: 1 }
    yield* change("s1", { _tag: "Share" })
    const { session } = Option.getOrThrow(yield* store.sessionState("s1"))
    yield* commit({ session: { ...session, revision: session.revision + 1 }, message, events: [] })
    for (const [each, at_ms] of [
      ["3", 30],
      ["1", 10],
      ["2", 20]
    ] as const) {
      yield* finish(each, at_ms)
    }
    const browser = Browser.make({ id: "b", proxyCountryCode: null, startedAt_ms: 0 })
    yield* commit(browserStep(browser))
    yield* commit(browserStep(Result.getOrThrow(Browser.stop(browser, "expired", 15))))
    assert.lengthOf(yield* store.stepsOf("t1"), 1)
    assert.lengthOf(yield* store.modelCallsOf("t1"), 1)
    const one = yield* store.prune({ finishedUntil_ms: 20, limit: 1 })
    assert.deepStrictEqual([one.sessions, one.browsers, one.keys, one.events], [1, 1, 0, 0])
    assert.isTrue(Option.isNone(yield* store.session("s1")))
    assert.isTrue(Option.isNone(yield* store.turn("t1")))
    assert.isTrue(Option.isNone(yield* store.message("m1")))
    assert.deepStrictEqual(
      [yield* store.stepsOf("t1"), yield* store.modelCallsOf("t1"), yield* store.turnsOf("s1")],
      [[], [], []]
    )
    assert.isTrue(Option.isNone(yield* store.browser("b")))
    yield* store.prune({ finishedUntil_ms: 20, limit: 10 })
    const left = yield* store.records
    assert.deepStrictEqual(
      left.sessions.map(({ id }) => id),
      ["s3", "s4"]
    )
    const keys = yield* store.prune({ keysUntil_ms: 1, limit: 10 })
    assert.strictEqual(keys.keys, 2)
    assert.isTrue(Option.isSome(yield* store.idempotencyRecord("3")))
    const cursors = (yield* store.eventsAfter(0, 100)).map(({ cursor }) => cursor)
    yield* store.prune({ eventsUntil: cursors[2] ?? 0, limit: 100 })
    assert.strictEqual((yield* store.eventsAfter(0, 1))[0]?.cursor, cursors[3])
    // one that is stopped, but whose agent has not let go, is at work
    yield* commit(creation("5"))
    yield* change("s5", { _tag: "Take", node: "n" }, 1)
    yield* change("s5", { _tag: "Stop" }, 1)
    yield* store.prune({ finishedUntil_ms: 1, turnsUntil_ms: 1, limit: 10 })
    assert.lengthOf(Option.getOrThrow(yield* store.sessionState("s5")).turns, 1)
    // of a session that goes on, old turns can go alone
    const turns = yield* store.prune({ turnsUntil_ms: 30, limit: 10 })
    assert.strictEqual(turns.turns, 1)
    assert.isTrue(Option.isSome(yield* store.turn("t4")))
    assert.deepStrictEqual(yield* store.turnsOf("s3"), [])
  })

  test("deletes no more than requested of records that finished in the same millisecond, up to the named turn", function* () {
    const store = yield* Store
    for (const each of ["1", "2", "3", "4"]) {
      yield* commit({ ...creation(each), key: keyed(each, 5) })
      yield* finish(each, 10)
      const browser = Browser.make({ id: `b${each}`, proxyCountryCode: null, startedAt_ms: 0 })
      yield* commit(browserStep(browser))
      yield* commit(browserStep(Result.getOrThrow(Browser.stop(browser, "asked", 10))))
    }
    const named = yield* store.prune({ turnsUntil_ms: 10, turnsUntilId: "t2", limit: 10 })
    assert.strictEqual(named.turns, 2)
    assert.deepStrictEqual(
      (yield* store.records).turns.map(({ id }) => id),
      ["t3", "t4"]
    )
    const some = yield* store.prune({ finishedUntil_ms: 10, keysUntil_ms: 10, turnsUntil_ms: 10, limit: 1 })
    assert.deepStrictEqual([some.browsers, some.keys], [1, 1])
    const left = yield* store.records
    assert.deepStrictEqual([left.browsers.length, left.idempotencyRecords.length], [3, 3])
  })
}
