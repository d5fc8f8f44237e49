import { assert, describe, it } from "@effect/vitest"
import { ListsPreparing, type Page, type Place, Store, type StoreUnavailable, type TurnFilter } from "@webagent/engine"
import { creation } from "@webagent/store-contract/Creation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { type Reader, SqlStore } from "../src/index.ts"

/** Returns a page of turns once lists are complete. */
export const prepared = <A>(read: Effect.Effect<A, StoreUnavailable>): Effect.Effect<A, StoreUnavailable> =>
  Effect.retry(Effect.delay(read, "5 millis"), {
    while: ({ cause }) => cause instanceof ListsPreparing
  })

/** Follows a list to its end: the ids of its rows, and the number of its pages. */
export const idsOf = Effect.fnUntraced(function* (filter: TurnFilter, limit = 2) {
  const { lists } = yield* Store
  const ids: Array<string> = []
  let after: Place | null = null
  let pages = 0
  do {
    const page: Page<{ readonly id: string }> = yield* prepared(lists.turns(filter, after, limit))
    ids.push(...page.rows.map(({ id }) => id))
    after = page.next
    pages++
  } while (after !== null)
  return { ids, pages }
})

/** The lists of records that `insertAllOld` made in the version before. */
export const listsOldRecords = Effect.gen(function* () {
  const { lists } = yield* Store
  const list = (filter: TurnFilter) => Effect.map(idsOf(filter), ({ ids }) => ids)
  const all = yield* list({})
  assert.sameMembers(all, ["t1", "t2", "t3", "t4", "t5", "t6", "t7"])
  assert.deepStrictEqual(
    all.filter((id) => id !== "t7"),
    ["t6", "t5", "t4", "t3", "t2", "t1"]
  )
  assert.sameMembers(yield* list({ owner: "ann" }), ["t2", "t4", "t6", "t7"])
  assert.deepStrictEqual(yield* list({ statuses: ["failed"] }), ["t2"])
  assert.deepStrictEqual(yield* list({ failure: "step_limit" }), ["t2"])
  assert.deepStrictEqual(yield* list({ minCost: "0.5" }), ["t2"])
  assert.deepStrictEqual(yield* list({ sessionId: "s7" }), ["t7"])
  assert.sameMembers(yield* list({ text: "half pair mug" }), ["t6"])
  assert.deepStrictEqual(yield* list({ text: "mug 4" }), ["t4"])
  const { rows } = yield* lists.turns({ owner: "bob" }, null, 1)
  assert.deepStrictEqual(
    rows.map(({ node, tags, title }) => [node, tags, title]),
    [[null, [], null]]
  )
  assert.strictEqual((yield* lists.turnCounts({ owner: "ann" }, 10)).queued.count, 3)
  const sessions = yield* lists.sessions({ statuses: ["stopped"] }, null, 9)
  assert.deepStrictEqual(
    sessions.rows.map(({ id }) => id),
    ["s2"]
  )
  const browsers = yield* lists.browsers({ owner: "ann", node: "north", statuses: ["starting"] }, null, 9)
  assert.deepStrictEqual(
    browsers.rows.map(({ id }) => id),
    ["b1"]
  )
  const spend = yield* lists.spend({ from_ms: 0, to_ms: 10 * 86_400_000 })
  assert.deepStrictEqual(
    spend.map(({ cost, day_ms, owner }) => [cost, day_ms, owner]),
    [["0.5", 86_400_000, "ann"]]
  )
})

/** Tests what lists of a database do beyond the store contract. */
export const listsOver = <E>(name: string, database: Layer.Layer<SqlClient.SqlClient | Reader, E>): void => {
  const records = Layer.fresh(Layer.provideMerge(SqlStore.layer, database))

  /** Inserts copies of a turn `like`, with its fields changed, in its order. */
  const copies = Effect.fnUntraced(function* (count: number, record: (i: number) => object, columns: object) {
    const sql = yield* SqlClient.SqlClient
    for (let from = 0; from < count; from += 500) {
      const [first, ...rest] = Array.from({ length: Math.min(500, count - from) }, (_, index) => ({
        id: `${name}-${crypto.randomUUID()}`,
        session_id: crypto.randomUUID(),
        seq: 1,
        usd: 0,
        ...columns,
        record: JSON.stringify(record(from + index))
      }))
      if (first !== undefined) yield* sql`INSERT INTO turns ${sql.insert([first, ...rest])}`
    }
  })

  describe(`lists over ${name}`, () => {
    it.live("return a short page after scanning many rows without a match, and continue from there", () =>
      Effect.gen(function* () {
        const store = yield* Store
        yield* store.commit(creation("1", { owner: "ann", createdAt_ms: 1 }))
        // few rows of one owner are queued, and all of another owner
        const queued = { owner: "bob", status: "queued", ended_at_ms: null }
        yield* copies(1500, (i) => ({ id: `q${i}`, createdAt_ms: 10 + i, model: "m" }), queued)
        const over = { owner: "ann", status: "failed", ended_at_ms: 5 }
        yield* copies(4500, (i) => ({ id: `f${i}`, createdAt_ms: 5000 + i, model: "m", task: "common" }), over)
        const found = yield* idsOf({ owner: "ann", statuses: ["queued"] }, 10)
        assert.deepStrictEqual(found, { ids: ["t1"], pages: 3 })
        const none = yield* store.lists.turns({ owner: "ann", statuses: ["queued"] }, null, 10)
        assert.deepStrictEqual([none.rows, none.next?.at_ms], [[], 7500])
        // behind all that the database looks at before it uses its index
        assert.deepStrictEqual((yield* idsOf({ text: "red mu" })).ids, [])
        assert.deepStrictEqual((yield* idsOf({ text: "red mug" })).ids, ["t1"])
        assert.deepStrictEqual((yield* idsOf({ text: "find RED", owner: "ann" })).ids, ["t1"])
        assert.deepStrictEqual((yield* idsOf({ text: "red", owner: "bob" })).ids, [])
        const texts = yield* idsOf({ text: "common", owner: "bob" }, 10)
        assert.deepStrictEqual(texts.ids, [])
        assert.isAtLeast(texts.pages, 3)
        const { failed, queued: waiting } = yield* store.lists.turnCounts({ owner: "ann" }, 4000)
        assert.deepStrictEqual(
          [failed, waiting],
          [
            { count: 4000, more: true },
            { count: 1, more: false }
          ]
        )
      }).pipe(Effect.provide(records))
    )

    it.effect("read counts again after a second", () =>
      Effect.gen(function* () {
        const { commit, lists } = yield* Store
        const queued = Effect.map(lists.turnCounts({ owner: "cy" }, 9), (counts) => counts.queued.count)
        yield* commit(creation("c1", { owner: "cy" }))
        assert.strictEqual(yield* TestClock.withLive(prepared(queued)), 1)
        yield* commit(creation("c2", { owner: "cy" }))
        yield* TestClock.adjust("999 millis")
        assert.strictEqual(yield* queued, 1)
        assert.strictEqual((yield* lists.turnCounts({ owner: "cy" }, 8)).queued.count, 2)
        yield* TestClock.adjust("1 millis")
        assert.strictEqual(yield* queued, 2)
      }).pipe(Effect.provide(records))
    )

    it.live("list and count unfinished runs, however many there are", () =>
      Effect.gen(function* () {
        const { lists } = yield* Store
        const queued = { owner: "ann", status: "queued", ended_at_ms: null }
        yield* copies(12_100, (i) => ({ id: `q${i}`, createdAt_ms: 1 + i, model: "m" }), queued)
        const over = { owner: "ann", status: "failed", ended_at_ms: 5 }
        yield* copies(2100, (i) => ({ id: `f${i}`, createdAt_ms: 20_000 + i, model: "m" }), over)
        const first = yield* lists.turns({ statuses: ["queued"] }, null, 10)
        assert.deepStrictEqual([first.rows, first.next?.at_ms], [[], 20_100])
        const { ids } = yield* idsOf({ statuses: ["queued", "running"], from_ms: 12_001 }, 10)
        assert.deepStrictEqual(
          ids,
          Array.from({ length: 100 }, (_, i) => `q${12_099 - i}`)
        )
        const mixed = yield* lists.turns({ statuses: ["queued", "failed"] }, null, 2)
        assert.deepStrictEqual(
          mixed.rows.map(({ id }) => id),
          ["f2099", "f2098"]
        )
        const counts = yield* lists.turnCounts({}, 10_000)
        assert.deepStrictEqual(
          [counts.queued, counts.running, counts.failed],
          [
            { count: 10_000, more: true },
            { count: 0, more: false },
            { count: 2100, more: false }
          ]
        )
        // the newest 12,000 are looked at, so one of the others may be in the range
        const late = yield* lists.turnCounts({ from_ms: 12_001 }, 10_000)
        assert.deepStrictEqual([late.queued, late.failed.count], [{ count: 100, more: true }, 2100])
        // of 12,000 runs in a sample, those that are over and those that are not
        const ofAnn = yield* lists.turnCounts({ owner: "ann" }, 10_000)
        assert.deepStrictEqual([ofAnn.queued, ofAnn.failed.count], [{ count: 9900, more: true }, 2100])
      }).pipe(Effect.provide(records))
    )

    it.live("store and list a run whose record is nested too deep for the database", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const params = JSON.parse(`${"[".repeat(3000)}${"]".repeat(3000)}`) as unknown
        yield* store.commit(creation("1", { owner: "ann", modelParams: { params } }))
        yield* store.commit(creation("2", { owner: "ann" }))
        assert.sameMembers((yield* idsOf({ owner: "ann" })).ids, ["t1", "t2"])
        yield* store.prune({ turnsUntil_ms: 1, limit: 1 })
      }).pipe(Effect.provide(records))
    )

    it.live("accept any text in a filter", () =>
      Effect.gen(function* () {
        const { lists, commit } = yield* Store
        yield* commit(creation("1", { owner: "o'?$1", tags: ["a'b?"], model: '"m"' }))
        assert.deepStrictEqual((yield* idsOf({ owner: "o'?$1", tag: "a'b?", model: '"m"' })).ids, ["t1"])
        for (const text of ["\0", "'", '"', "?", "$1", "\\", "%", "a\0b", "\ud800", "x".repeat(5000)]) {
          const filters: ReadonlyArray<TurnFilter> = [
            { owner: text },
            { tag: text, owner: text },
            { sessionId: text },
            { text: `mug ${text}` },
            { minCost: "1e400", node: text }
          ]
          for (const filter of filters) {
            const read = yield* Effect.result(lists.turns(filter, null, 10))
            assert.isTrue(Result.isSuccess(read), JSON.stringify(filter))
          }
        }
      }).pipe(Effect.provide(records))
    )
  })
}
