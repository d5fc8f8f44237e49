import { assert, describe, it } from "@effect/vitest"
import { ApiKeys, BrowserPool, Engine, keyScopes, Store, TimeOrderedIds, layerStreamingAgent } from "@webagent/engine"
import { creation } from "@webagent/store-contract/Creation"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { type Reader, Retention, SqlApiKeys, SqlStore } from "../src/index.ts"

const hour_ms = 3_600_000
const noon_ms = 2 * 24 * hour_ms + 12 * hour_ms

/** A run that ended at this time. */
const ended = (name: string, finishedAt_ms: number) => {
  const made = creation(name, { owner: "ci" })
  return {
    ...made,
    turns: (made.turns ?? []).map((turn) => ({ ...turn, status: "completed" as const, finishedAt_ms }))
  }
}

/** An engine over the database, whose runs never end. */
export const engine = Engine.layer.pipe(
  Layer.provide([
    layerStreamingAgent({ model: "m", version: "1", perform: () => Stream.never }),
    Layer.succeed(BrowserPool, { launch: () => Effect.never }),
    TimeOrderedIds.layer
  ])
)

/** What is forgotten of each database, and what is not. */
export const retentionOver = <E>(name: string, database: Layer.Layer<SqlClient.SqlClient | Reader, E>) => {
  const records = Layer.provideMerge(Layer.mergeAll(SqlStore.layer, SqlApiKeys.layer), database)
  describe(`Retention over ${name}`, () => {
    it.live("forgets a node that ended a day ago when another one joins, and refuses its renewals", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const sql = yield* SqlClient.SqlClient
        const node = (id: string) => ({ id, name: id, address: null, room: 0, draining: false, startedAt_ms: 0 })
        for (const id of ["old", "late", "left"]) yield* store.renew(node(id), hour_ms)
        yield* store.leave("left")
        yield* sql`UPDATE nodes SET until_ms = until_ms - ${26 * hour_ms} WHERE id = 'old'`
        yield* sql`UPDATE nodes SET until_ms = until_ms - ${24 * hour_ms} WHERE id = 'late'`
        assert.isTrue(yield* store.renew(node("new"), hour_ms))
        assert.deepStrictEqual(yield* sql`SELECT id FROM nodes ORDER BY id`, [
          { id: "late" },
          { id: "left" },
          { id: "new" }
        ])
        assert.isFalse(yield* store.renew(node("old"), hour_ms, true))
        assert.isTrue(yield* store.isLost("old"))
        assert.isTrue(yield* store.renew(node("late"), hour_ms, true))
      }).pipe(Effect.provide(records))
    )

    it.live("keeps the events of an hour, and always the newest 10,000", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const sql = yield* SqlClient.SqlClient
        const now_ms = yield* Clock.currentTimeMillis
        const forget = Retention.prune({ keep_ms: hour_ms, keepRuns: 1000 })
        const add = (count: number, at_ms: number) =>
          store.commit({
            events: Array.from({ length: count }, (_, index) => ({
              at_ms,
              of: "browser" as const,
              id: `b${index}`,
              sessionId: null,
              owner: null,
              from: null,
              to: "active"
            }))
          })
        const kept = Effect.map(
          Effect.all([store.oldestEvent, store.newestEvent]),
          ([oldest, newest]) => [oldest, newest] as const
        )
        yield* add(10_500, now_ms - 2 * hour_ms)
        yield* forget
        assert.deepStrictEqual(yield* kept, [501, 10_500])
        yield* add(20_000, now_ms)
        yield* forget
        assert.deepStrictEqual(yield* kept, [10_501, 30_500])
        // after their hour, only the newest are kept
        yield* sql`UPDATE events SET record = replace(record, ${String(now_ms)}, ${String(now_ms - 2 * hour_ms)})`
        yield* forget
        assert.deepStrictEqual(yield* kept, [20_501, 30_500])
      }).pipe(Effect.provide(records))
    )

    it.live("stops every session that is idle for long enough, unless it's busy by now", () =>
      Effect.gen(function* () {
        const store = yield* Store
        const { queue, stopIdleSession } = yield* Engine
        for (let count = 0; count < 250; count++) {
          const step = ended(String(count), 1000 + count)
          yield* store.commit({ ...step, session: { ...step.session, idleSince_ms: 1000 + count } })
        }
        const now_ms = yield* Clock.currentTimeMillis
        const recent = ended("recent", now_ms)
        yield* store.commit({ ...recent, session: { ...recent.session, idleSince_ms: now_ms } })
        const { turn } = yield* queue({ sessionId: "s7", text: "Next", interrupt: false })
        assert.isFalse(yield* stopIdleSession("s7", now_ms))
        assert.strictEqual(yield* Retention.stopIdle(hour_ms), 249)
        const { sessions } = yield* store.records
        assert.deepStrictEqual(
          sessions.filter(({ status }) => status === "active").map(({ id }) => id),
          ["s7", "srecent"]
        )
        assert.strictEqual(Option.getOrThrow(yield* store.turn(turn.id)).status, "dispatching")
      }).pipe(Effect.provide(Layer.provideMerge(engine, records)))
    )

    it.effect("keeps the requested number of runs even if they finished in the same millisecond", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon_ms)
        const store = yield* Store
        for (const id of ["a", "b", "c", "d"]) yield* store.commit(ended(id, noon_ms - hour_ms))
        const { turns } = yield* Retention.prune({ keep_ms: 24 * hour_ms, keepRuns: 3 })
        assert.strictEqual(turns, 1)
        yield* Retention.prune({ keep_ms: 24 * hour_ms, keepRuns: 1 })
        assert.deepStrictEqual(
          (yield* store.records).turns.map(({ id }) => id),
          ["td"]
        )
      }).pipe(Effect.provide(records))
    )

    it.effect("keeps today's finished runs while a key has a daily spending limit", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon_ms)
        const store = yield* Store
        const keys = yield* ApiKeys
        const limits = { runs: null, browsers: null, requestsPerMinute: null, usdPerDay: 1 }
        yield* keys.create({ name: "ci", scopes: keyScopes, limits })
        yield* store.commit(ended("yesterday", noon_ms - 13 * hour_ms))
        yield* store.commit(ended("today", noon_ms - hour_ms))
        const left = Effect.gen(function* () {
          yield* Retention.prune({ keep_ms: 0, keepRuns: 0 })
          return Option.isSome(yield* store.turn("tyesterday")) + " " + Option.isSome(yield* store.turn("ttoday"))
        })
        assert.strictEqual(yield* left, "false true")
        yield* keys.revoke("ci")
        assert.strictEqual(yield* left, "false false")
      }).pipe(Effect.provide(records))
    )
  })
}
