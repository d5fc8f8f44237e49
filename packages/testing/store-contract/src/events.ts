import { assert } from "@effect/vitest"
import { type Decide, type Event, Store } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { change, commit, creation, refusal, type StoreTest } from "./steps.ts"

/** Tests the event log. */
export const events = (test: StoreTest): void => {
  test("returns the events of one turn and its steps, and the positions of the log", function* () {
    const store = yield* Store
    assert.deepStrictEqual([yield* store.newestEvent, yield* store.oldestEvent], [0, 1])
    yield* commit(creation("1"))
    assert.strictEqual(yield* store.oldestEvent, 1)
    yield* commit(creation("2"))
    yield* change("s1", { _tag: "Take", node: "n" })
    yield* change("s1", { _tag: "Report", token: 2, event: { _tag: "Started" }, leaves: false, goesOn: true })
    const progress = (of: Decide.Progress) => change("s1", { _tag: "Progress", token: 2, progress: of }, 7)
    yield* progress({ step: { summary: "one", address: null, picture: null } })
    const [step] = yield* store.stepsOf("t1")
    assert.isDefined(step)
    yield* progress({
      ended: { step, failure: "no such page" },
      step: { summary: "two", address: null, picture: null }
    })
    const all = yield* store.eventsAfter(0, 100)
    const ofTurn = yield* store.eventsOf("t1", 0, 100)
    assert.deepStrictEqual(
      ofTurn.map(({ event: { from, of, step = "-", to } }) => `${of} ${step} ${from ?? "new"} ${to}`),
      [
        "turn - new queued",
        "turn - queued dispatching",
        "turn - dispatching running",
        "step 1 new running",
        "step 1 running failed",
        "step 2 new running"
      ]
    )
    assert.deepStrictEqual(
      ofTurn,
      all.filter(({ event: { id } }) => id === "t1")
    )
    assert.deepStrictEqual(yield* store.eventsOf("t1", ofTurn[1]?.cursor ?? 0, 2), ofTurn.slice(2, 4))
    assert.deepStrictEqual(yield* store.eventsOf("x", 0, 10), [])
    assert.deepStrictEqual(
      all.map(({ cursor }) => cursor),
      all.map((_, index) => index + 1)
    )
    assert.deepStrictEqual([yield* store.newestEvent, yield* store.oldestEvent], [all.length, 1])
    yield* store.prune({ eventsUntil: 3, limit: 100 })
    assert.deepStrictEqual([yield* store.newestEvent, yield* store.oldestEvent], [all.length, 4])
    yield* store.prune({ eventsUntil: all.length, limit: 100 })
    assert.deepStrictEqual([yield* store.newestEvent, yield* store.oldestEvent], [all.length, all.length + 1])
    yield* change("s1", { _tag: "Stop" })
    assert.deepStrictEqual(
      (yield* store.eventsOf("t1", 0, 1)).map(({ event }) => event.to),
      ["cancelled"]
    )
    assert.strictEqual((yield* store.eventsAfter(0, 1))[0]?.cursor, all.length + 1)
  })

  test("keeps the order of one step's events, however many there are", function* () {
    const store = yield* Store
    const step = creation("1")
    const [event] = step.events
    assert.isDefined(event)
    const events = Array.from({ length: 250 }, (_, at_ms) => ({ ...event, at_ms }))
    yield* store.commit({ ...step, events })
    const stored = yield* store.eventsAfter(0, 1000)
    assert.deepStrictEqual(
      stored.map(({ event }) => event.at_ms),
      events.map(({ at_ms }) => at_ms)
    )
  })

  test("returns events after a cursor, each once, in the order of commits", function* () {
    const store = yield* Store
    const eventsOf = Effect.fnUntraced(function* (after: number, limit: number) {
      const events = yield* store.eventsAfter(after, limit)
      return events.map(({ cursor, event }) => ({ cursor, move: `${event.id} ${event.from} ${event.to}` }))
    })
    yield* commit(creation("1"))
    yield* change("s1", { _tag: "Take", node: "n" })
    yield* refusal(creation("1"))
    yield* commit(creation("2"))
    const all = yield* eventsOf(0, 100)
    assert.deepStrictEqual(
      all.map(({ move }) => move),
      ["s1 null active", "t1 null queued", "t1 queued dispatching", "s2 null active", "t2 null queued"]
    )
    const cursors = all.map(({ cursor }) => cursor)
    assert.deepStrictEqual(
      cursors,
      [...new Set(cursors)].toSorted((left, right) => left - right)
    )
    assert.deepStrictEqual(yield* eventsOf(cursors[1] ?? 0, 2), all.slice(2, 4))
    assert.deepStrictEqual(yield* eventsOf(cursors[4] ?? 0, 2), [])
    const [first] = yield* store.eventsAfter(0, 1)
    const event: Event = {
      at_ms: 0,
      of: "session",
      id: "s1",
      sessionId: null,
      owner: "owner",
      from: null,
      to: "active"
    }
    assert.deepStrictEqual(first?.event, event)
  })
}
