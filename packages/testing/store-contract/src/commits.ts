import { assert } from "@effect/vitest"
import { AdmissionRefused, Browser, Decide, Store } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import {
  browserStep,
  change,
  commit,
  creation,
  day_ms,
  keyed,
  newTurn,
  refusal,
  stepOf,
  type StoreTest
} from "./steps.ts"

/** Commits: each is refused or carried out as a whole. */
export const commits = (test: StoreTest): void => {
  test("returns committed records by id, with every field", function* () {
    const store = yield* Store
    const made = creation("1")
    const message = { id: "m1", sessionId: "s1", turnId: "t1", owner: null, interrupt: true, createdAt_ms: 5 }
    yield* commit({ ...made, key: keyed("k"), message })
    const browser = Browser.make({ id: "b1", proxyCountryCode: "no", startedAt_ms: 1, node: "n", expiresAt_ms: 9 })
    yield* commit(browserStep(browser))
    assert.deepStrictEqual(Option.getOrThrow(yield* store.session("s1")), made.session)
    assert.deepStrictEqual(Option.toArray(yield* store.turn("t1")), made.turns)
    assert.deepStrictEqual(yield* store.turnsOf("s1"), made.turns)
    assert.deepStrictEqual(yield* store.message("m1"), Option.some(message))
    assert.deepStrictEqual(yield* store.browser("b1"), Option.some(browser))
    assert.deepStrictEqual(yield* store.idempotencyRecord("k"), Option.some(keyed("k")))
    assert.deepStrictEqual(yield* store.records, {
      sessions: [made.session],
      turns: made.turns,
      turnSteps: [],
      modelCalls: [],
      messages: [message],
      browsers: [browser],
      idempotencyRecords: [keyed("k")]
    })
    // a path may have any character, and Postgres has no text with this one
    for (const id of ["x", "s1\0"]) {
      const absent: ReadonlyArray<Option.Option<unknown>> = [
        yield* store.session(id),
        yield* store.turn(id),
        yield* store.message(id),
        yield* store.browser(id),
        yield* store.idempotencyRecord(id)
      ]
      assert.isTrue(absent.every(Option.isNone))
    }
    assert.isTrue(Option.isNone(yield* store.sessionState("x")))
    assert.deepStrictEqual(
      [yield* store.turnsOf("x"), yield* store.stepsOf("x"), yield* store.modelCallsOf("x")],
      [[], [], []]
    )
  })

  test("refuses a step that was decided on another revision, and writes none of it", function* () {
    const store = yield* Store
    const first = creation("1")
    yield* commit(first)
    assert.strictEqual(yield* refusal({ ...creation("1"), key: keyed("k") }), "Conflict")
    const state = Option.getOrThrow(yield* store.sessionState("s1"))
    const late = Result.getOrThrow(
      Decide.decide(state, { _tag: "Queue", turn: newTurn("t2", "s1"), interrupt: false }, 1)
    )
    yield* change("s1", { _tag: "Share" })
    const message = { id: "m", sessionId: "s1", turnId: "t2", owner: null, interrupt: false, createdAt_ms: 1 }
    assert.strictEqual(yield* refusal({ ...stepOf(late), key: keyed("k"), message }), "Conflict")
    // one that has not come yet is as wrong
    const early = { ...late.session, revision: 4 }
    assert.strictEqual(yield* refusal({ ...stepOf(late), session: early }), "Conflict")
    assert.isTrue(Option.isNone(yield* store.turn("t2")))
    assert.isTrue(Option.isNone(yield* store.message("m")))
    assert.isTrue(Option.isNone(yield* store.idempotencyRecord("k")))
    assert.lengthOf(yield* store.eventsAfter(0, 10), 2)
    assert.strictEqual(yield* refusal({ ...creation("x"), turns: first.turns }), "Conflict")
    assert.isTrue(Option.isNone(yield* store.session("sx")))
  })

  test("applies many simultaneous commits to one session once each, in sequence", function* () {
    const store = yield* Store
    yield* commit(creation("1"))
    yield* Effect.forEach(
      Array.from({ length: 30 }, (_, index) => `q${index}`),
      (id) => change("s1", { _tag: "Queue", turn: newTurn(id, "s1"), interrupt: false }),
      { concurrency: "unbounded" }
    )
    const { session, turns } = Option.getOrThrow(yield* store.sessionState("s1"))
    assert.deepStrictEqual([session.revision, session.turnCount, turns.length], [31, 31, 31])
    assert.deepStrictEqual(
      turns.map(({ seq }) => seq),
      turns.map((_, index) => index + 1)
    )
  })

  test("refuses a stale browser", function* () {
    const store = yield* Store
    const starting = Browser.make({ id: "b", proxyCountryCode: null, startedAt_ms: 0 })
    yield* commit(browserStep(starting))
    assert.strictEqual(yield* refusal(browserStep(starting)), "Conflict")
    const active = Browser.launched(starting)
    yield* commit(browserStep(active))
    const stopped = Result.getOrThrow(Browser.stop(starting, "asked", 1))
    assert.strictEqual(yield* refusal(browserStep(stopped)), "Conflict")
    assert.deepStrictEqual(yield* store.browser("b"), Option.some(active))
  })

  test("runs a commit's extra effect with it, and rolls the commit back if that fails", function* () {
    const store = yield* Store
    let done = 0
    const also = Effect.sync(() => void done++)
    yield* commit({ ...creation("1"), also })
    assert.strictEqual(done, 1)
    assert.strictEqual(yield* refusal({ ...creation("1"), also }), "Conflict")
    assert.strictEqual(done, 1)
    const fails = Effect.fail(new AdmissionRefused({ message: "a test", retryAfter_ms: 1 }))
    assert.strictEqual(yield* refusal({ ...creation("2"), key: keyed("k"), also: fails }), "AdmissionRefused")
    assert.isTrue(Option.isNone(yield* store.session("s2")))
    assert.isTrue(Option.isNone(yield* store.turn("t2")))
    assert.isTrue(Option.isNone(yield* store.idempotencyRecord("k")))
  })

  test("applies all or nothing of an interrupted commit", function* () {
    const store = yield* Store
    for (let index = 0; index < 20; index++) {
      const each = String(index)
      const fiber = yield* Effect.forkChild(commit({ ...creation(each), key: keyed(each) }), {
        startImmediately: index % 2 === 0
      })
      if (index % 3 === 0) yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      const parts = [
        Option.isSome(yield* store.session(`s${each}`)),
        Option.isSome(yield* store.turn(`t${each}`)),
        Option.isSome(yield* store.idempotencyRecord(each)),
        (yield* store.eventsAfter(0, 100)).some(({ event }) => event.id === `t${each}`)
      ]
      assert.lengthOf([...new Set(parts)], 1)
    }
  })
}

/** Creates with a key: each is carried out once. */
export const keys = (test: StoreTest): void => {
  test("accepts one create per key, until the key expires or is forgotten", function* () {
    const store = yield* Store
    yield* commit({ ...creation("1"), key: keyed("k", 1000) })
    // the key is checked first, so a repeated create gets its result and not a conflict of ids
    for (const step of [creation("1"), creation("2")]) {
      const taken = yield* Effect.flip(commit({ ...step, key: keyed("k", 1000 + day_ms - 1, "other") }))
      assert.deepStrictEqual(taken._tag === "KeyTaken" ? taken.record : taken, keyed("k", 1000))
    }
    assert.isTrue(Option.isNone(yield* store.session("s2")))
    yield* commit({ ...creation("3"), key: keyed("k", 1000 + day_ms, "later") })
    assert.deepStrictEqual(yield* store.idempotencyRecord("k"), Option.some(keyed("k", 1000 + day_ms, "later")))
    yield* commit({ events: [], forgetKey: "k" })
    assert.isTrue(Option.isNone(yield* store.idempotencyRecord("k")))
    yield* commit({ ...creation("4"), key: keyed("k", 1000) })
  })

  test("deletes a browser that never started, with its key, unless it was changed meanwhile", function* () {
    const store = yield* Store
    const browser = Browser.make({ id: "b1", proxyCountryCode: null, startedAt_ms: 1, owner: "ann" })
    yield* commit({ ...browserStep(browser), key: keyed("k") })
    yield* commit({ unplaced: browser, forgetKey: "k", events: [] })
    assert.isTrue(Option.isNone(yield* store.browser("b1")))
    assert.isTrue(Option.isNone(yield* store.idempotencyRecord("k")))
    assert.deepStrictEqual((yield* store.lists.browsers({}, null, 10)).rows, [])
    assert.deepStrictEqual((yield* store.unfinished(10)).browsers, [])
    assert.strictEqual(yield* refusal({ unplaced: browser, events: [] }), "Conflict")
    const other = Browser.make({ id: "b2", proxyCountryCode: null, startedAt_ms: 2 })
    yield* commit(browserStep(other))
    yield* commit(browserStep(Browser.launched(other)))
    assert.strictEqual(yield* refusal({ unplaced: other, events: [] }), "Conflict")
    assert.isTrue(Option.isSome(yield* store.browser("b2")))
  })

  test("finds a key by its other digest, and refuses a second record with either", function* () {
    const store = yield* Store
    const both = { ...keyed("k", 1000), also: "a" }
    yield* commit({ ...creation("1"), key: both })
    assert.deepStrictEqual(
      [yield* store.idempotencyRecord("k"), yield* store.idempotencyRecord("a")],
      [Option.some(both), Option.some(both)]
    )
    for (const key of [keyed("k", 1000), { ...keyed("x", 1000), also: "a" }]) {
      assert.strictEqual(yield* refusal({ ...creation("2"), key }), "KeyTaken")
    }
    const later = { ...keyed("x", 1000 + day_ms), also: "a" }
    yield* commit({ ...creation("3"), key: later })
    assert.deepStrictEqual(yield* store.idempotencyRecord("a"), Option.some(later))
    yield* commit({ events: [], forgetKey: "x" })
    assert.isTrue(Option.isNone(yield* store.idempotencyRecord("a")))
    yield* commit({ ...creation("4"), key: { ...keyed("y", 1000 + day_ms), also: "a" } })
  })

  test("accepts one of many simultaneous creates with the same key", function* () {
    const store = yield* Store
    const outcomes = yield* Effect.forEach(
      Array.from({ length: 20 }, (_, index) => String(index)),
      (each) => Effect.map(refusal({ ...creation(each), key: keyed("k", 0, each) }), (tag) => [each, tag] as const),
      { concurrency: "unbounded" }
    )
    const through = outcomes.filter(([, tag]) => tag === "carried out")
    assert.lengthOf(through, 1)
    assert.isTrue(outcomes.every(([, tag]) => tag === "carried out" || tag === "KeyTaken"))
    const { sessions } = yield* store.records
    assert.deepStrictEqual(
      sessions.map(({ id }) => id),
      through.map(([each]) => `s${each}`)
    )
  })
}
