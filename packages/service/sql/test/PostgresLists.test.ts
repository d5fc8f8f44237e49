import { assert, describe, it } from "@effect/vitest"
import { ListsPreparing, Store } from "@webagent/engine"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { Postgres, PostgresDatabase, SqlStore } from "../src/index.ts"
import { loader, newest } from "../src/postgresMigrations.ts"
import { table } from "../src/schema.ts"
import { idsOf, listsOldRecords, listsOver, prepared } from "./lists.ts"
import { endOld, insertAllOld, insertOld } from "./oldRecords.ts"
import { startPostgres } from "./postgres.ts"

const { address, database } = startPostgres()

listsOver("Postgres", database)

/** The version before lists. */
const before = Migrator.make({})({ loader: Effect.map(loader, (all) => all.slice(0, 3)), table })

/** A node of this version. */
const over = (url: Redacted.Redacted, connections = 10) =>
  Layer.fresh(Layer.provideMerge(SqlStore.layer, PostgresDatabase.layer({ url, connections })))

describe("lists over Postgres", () => {
  it.live("have an earlier version's records, including those written after the migration", () =>
    Effect.gen(function* () {
      const url = yield* address
      // a connection of a server of the version before, which stays open
      const old = yield* Layer.build(Layer.fresh(Postgres.layer({ url })))
      yield* Effect.provideContext(Effect.andThen(before, insertAllOld), old)
      assert.deepStrictEqual(yield* PostgresDatabase.migrate(url), { from: 3, to: newest })
      yield* Effect.provide(listsOldRecords, over(url))
      yield* Effect.provideContext(
        Effect.gen(function* () {
          yield* insertOld(8, { createdAt_ms: 9000 })
          yield* endOld(8, "south")
          yield* endOld(3, "south")
        }),
        old
      )
      yield* Effect.gen(function* () {
        const { turn } = yield* Store
        const newer = yield* idsOf({ node: "south", statuses: ["failed"] })
        assert.deepStrictEqual(newer.ids, ["t8", "t3"])
        assert.deepStrictEqual((yield* idsOf({ text: "mug 8" })).ids, ["t8"])
        assert.strictEqual((yield* turn("t8"))._tag, "Some")
      }).pipe(Effect.provide(over(url)))
    }).pipe(Effect.scoped)
  )

  it.live("are filled once by nodes that start together, while runs finish, and report their progress", () =>
    Effect.gen(function* () {
      const url = yield* address
      const old = yield* Layer.build(Layer.fresh(Postgres.layer({ url })))
      const sql = yield* Effect.provideContext(Effect.service(SqlClient.SqlClient), old)
      const count = 3000
      yield* Effect.provideContext(before, old)
      yield* sql`INSERT INTO turns (id, session_id, seq, status, usd, record)
        SELECT 'r' || i, 's' || i, 1, 'queued', 0,
          '{"id":"r' || i || '","createdAt_ms":' || i || ',"task":"a mug","model":"m","status":"queued"}'
        FROM generate_series(1, ${count}) AS i`
      yield* PostgresDatabase.migrate(url)
      const locked = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      const held = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SELECT 1 FROM list_fill FOR UPDATE`
            yield* Deferred.succeed(locked, undefined)
            yield* Deferred.await(release)
          })
        )
      )
      yield* Deferred.await(locked)
      const [one, two] = yield* Effect.all([Layer.build(over(url)), Layer.build(over(url))])
      const { lists } = yield* Effect.provideContext(Effect.service(Store), one)
      const { cause } = yield* Effect.flip(lists.turns({}, null, 1))
      assert.deepStrictEqual(cause, new ListsPreparing({ percent: 0 }))
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.join(held)
      for (let i = 1; i <= count; i += 40) {
        yield* sql`UPDATE turns SET status = 'completed', ended_at_ms = ${i},
          record = replace(record, '"queued"', '"completed"') WHERE id = ${`r${i}`}`
      }
      const { ids } = yield* Effect.provideContext(idsOf({}, 500), two)
      assert.lengthOf(new Set(ids), count)
      assert.lengthOf(ids, count)
      const ended = yield* Effect.provideContext(idsOf({ statuses: ["completed"] }, 500), two)
      assert.lengthOf(ended.ids, count / 40)
      assert.lengthOf((yield* Effect.provideContext(idsOf({ text: "mug" }, 500), one)).ids, count)
      const spend = prepared(lists.spend({ from_ms: 0, to_ms: 86_400_000 }))
      assert.deepStrictEqual(
        (yield* spend).map(({ turns }) => turns),
        [count / 40]
      )
    }).pipe(Effect.scoped)
  )

  it.live("count the cost of a run once, whether it finishes before or after its part of the list is summed", () =>
    Effect.gen(function* () {
      const url = yield* address
      const old = yield* Layer.build(Layer.fresh(Postgres.layer({ url })))
      const sql = yield* Effect.provideContext(Effect.service(SqlClient.SqlClient), old)
      yield* PostgresDatabase.migrate(url)
      const count = 12_000
      // in parts that even a busy machine can insert within the statement timeout
      for (let i = 1; i <= count; i += 1000) {
        yield* sql`INSERT INTO turns (id, session_id, seq, status, usd, record)
          SELECT 'r' || i, 's' || i, 1, 'running', 0, '{"createdAt_ms":' || i || ',"model":"m"}'
          FROM generate_series(${i}, ${i + 999}) AS i`
      }
      // as if these were in the list before its cost was kept
      yield* sql`UPDATE list_fill SET last = 0, until = ${count} WHERE name = 'spend'`
      const end = (i: number, usd: number) => sql`UPDATE turns SET status = 'completed', ended_at_ms = ${i},
        usd = ${usd} WHERE id = ${`r${i}`}`
      for (let i = 1; i <= count; i += 100) yield* end(i, 1)
      const { lists } = yield* Effect.provideContext(Effect.service(Store), yield* Layer.build(over(url)))
      for (let i = 2; i <= count; i += 50) yield* end(i, 1)
      for (let i = 1; i <= count; i += 100) yield* end(i, 3)
      const spend = yield* prepared(lists.spend({ from_ms: 0, to_ms: 86_400_000 }))
      assert.deepStrictEqual(
        spend.map(({ cost, turns }) => [turns, cost]),
        [[(count / 100) * 3, String((count / 100) * 3 + (count / 50) * 1)]]
      )
    }).pipe(Effect.scoped)
  )

  it.live("are read without prepared statements, whose plans wouldn't know the values", () =>
    Effect.gen(function* () {
      const { lists } = yield* Store
      const sql = yield* SqlClient.SqlClient
      yield* lists.turns({ owner: "a", statuses: ["queued"] }, null, 1)
      yield* lists.turns({ text: "a" }, null, 1)
      yield* lists.turnCounts({ owner: "a" }, 1)
      const prepared = yield* sql`SELECT statement FROM pg_prepared_statements`
      assert.isTrue(prepared.every(({ statement }) => !/turn_list|turn_texts/u.test(String(statement))))
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(address, (url) => over(url, 1)))))
  )
})
