import { assert, describe, it } from "@effect/vitest"
import { entryTypes, type JournalEntry, type JournalView } from "@webagent/control"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { Journal, type JournalOptions } from "../../src/journal/Journal.ts"
import { RealClock } from "../../src/time/RealClock.ts"

/** Whether the counts add up: every row is kept or dropped, and of one type. */
const addsUp = (view: JournalView): boolean =>
  view.written === view.kept + view.dropped &&
  view.written === entryTypes.reduce((sum, type) => sum + view.counts[type], 0)

const fresh = (options?: JournalOptions) => Effect.provide(Journal.layer(options), { local: true })

const control = (action: string) => Journal.use((journal) => journal.record({ type: "control", action, detail: null }))

const move = (id: string, sessionId: string | null) =>
  Journal.use((journal) => journal.record({ type: "move", of: "turn", id, sessionId, from: null, to: "queued" }))

const seqs = (query?: Parameters<Journal["Service"]["read"]>[0]) =>
  Effect.map(
    Journal.use((journal) => journal.read(query)),
    ({ entries }) => entries.map(({ seq }) => seq)
  )

describe("Journal", () => {
  it.effect("numbers rows from 1, and stamps them with service time and real time", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 minute")
      yield* control("a")
      yield* control("b")
      const { counts, entries, next, written } = yield* Journal.use((journal) => journal.read())
      assert.deepStrictEqual(
        entries.map(({ at_ms, seq }) => ({ at_ms, seq })),
        [
          { at_ms: 60_000, seq: 1 },
          { at_ms: 60_000, seq: 2 }
        ]
      )
      const real = yield* RealClock
      for (const { realAt_ms } of entries) assert.closeTo(realAt_ms, real.currentTimeMillisUnsafe(), 60_000)
      assert.notStrictEqual(real, yield* Clock.Clock)
      assert.deepStrictEqual([next, written, counts.control], [2, 2, 2])
    }).pipe(fresh())
  )

  it.effect("keeps the newest rows, and still counts all and sends all to observers", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const seen: Array<JournalEntry> = []
        const journal = yield* Journal
        yield* journal.observe((entry) => seen.push(entry))
        for (const action of ["a", "b", "c", "d", "e"]) yield* control(action)
        const view = yield* journal.read()
        assert.deepStrictEqual(
          view.entries.map((entry) => entry.type === "control" && entry.action),
          ["c", "d", "e"]
        )
        assert.deepInclude(view, { written: 5, kept: 3, dropped: 2, next: 5 })
        assert.deepStrictEqual(
          seen.map(({ seq }) => seq),
          [1, 2, 3, 4, 5]
        )
      })
    ).pipe(fresh({ capacity: 3 }))
  )

  it.effect("sends nothing to an observer after its scope is closed", () =>
    Effect.gen(function* () {
      const seen: Array<number> = []
      yield* Effect.scoped(Journal.use((journal) => journal.observe(({ seq }) => seen.push(seq))))
      yield* control("a")
      assert.deepStrictEqual(seen, [])
    }).pipe(fresh())
  )

  it.effect("reads on from a number, page by page", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      for (const action of ["a", "b", "c", "d", "e"]) yield* control(action)
      const first = yield* journal.read({ limit: 2 })
      assert.strictEqual(first.next, 2)
      const rest = yield* journal.read({ after: first.next })
      assert.deepStrictEqual(
        [...first.entries, ...rest.entries].map(({ seq }) => seq),
        [1, 2, 3, 4, 5]
      )
      assert.deepStrictEqual(yield* seqs({ after: 99 }), [])
    }).pipe(fresh())
  )

  it.effect("reads by type and by subject", () =>
    Effect.gen(function* () {
      yield* move("t1", "s1")
      yield* control("a")
      yield* move("t2", "s1")
      assert.deepStrictEqual(yield* seqs({ type: "move" }), [1, 3])
      assert.deepStrictEqual(yield* seqs({ resource: "t2" }), [3])
      assert.deepStrictEqual(yield* seqs({ resource: "s1" }), [1, 3])
      assert.deepStrictEqual(yield* seqs({ operation: "v4.getRun" }), [])
      // a part that ends before a match still says how far it looked
      const { next } = yield* Journal.use((journal) => journal.read({ type: "control", limit: 1 }))
      assert.strictEqual(next, 2)
    }).pipe(fresh())
  )

  it.effect("starts from 1 again when it is cleared", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      yield* control("a")
      yield* journal.clear
      yield* control("b")
      const view = yield* journal.read()
      assert.deepStrictEqual([view.entries[0]?.seq, view.written, journal.lastUnsafe()], [1, 1, 1])
      assert.isTrue(addsUp(view))
    }).pipe(fresh())
  )

  it.effect("writes nothing when it is off", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      yield* control("a")
      assert.isFalse(journal.enabled)
      assert.strictEqual((yield* journal.read()).written, 0)
    }).pipe(fresh({ capacity: 0 }))
  )

  const Capacity = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 }))
  const Rows = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 }))

  it.effect.prop(
    "adds up counts, and returns parts that match them",
    [Capacity, Rows, Rows],
    ([capacity, rows, after]) =>
      Effect.gen(function* () {
        for (const row of Array.from({ length: rows }, (_, index) => index)) {
          yield* row % 3 === 0 ? control("a") : move(`t${row}`, null)
        }
        const view = yield* Journal.use((journal) => journal.read({ after }))
        assert.isTrue(addsUp(view))
        assert.strictEqual(view.kept, Math.min(capacity, rows))
        const first = Math.max(after, view.dropped) + 1
        assert.deepStrictEqual(
          view.entries.map(({ seq }) => seq),
          Array.from({ length: Math.max(0, rows - first + 1) }, (_, index) => first + index)
        )
      }).pipe(fresh({ capacity })),
    { arbitrary: { seed: 1 } }
  )
})
