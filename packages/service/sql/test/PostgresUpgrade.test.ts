import { assert, describe, it } from "@effect/vitest"
import {
  Browser,
  type IdempotencyRecord,
  idempotencyLifetime_ms,
  Profiles,
  Store,
  TimeOrderedIds
} from "@webagent/engine"
import { creation } from "@webagent/store-contract/Creation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { Postgres, PostgresDatabase, SqlProfiles, SqlStore } from "../src/index.ts"
import { loader, newest } from "../src/postgresMigrations.ts"
import { contract, table } from "../src/schema.ts"
import { endOld, insertOld } from "./oldRecords.ts"
import { startPostgres } from "./postgres.ts"

const { address, database } = startPostgres()

const schemaBefore = newest - 1

/** Brings a database to an older schema. */
const olderSchema = (schema: number) =>
  Migrator.make({})({ loader: Effect.map(loader, (all) => all.slice(0, schema)), table })

/** A connection without a check of the schema, as one of another version. */
const connected = (url: Redacted.Redacted) => Layer.fresh(Postgres.layer({ url }))

const layer = Layer.provideMerge(
  SqlStore.layer.pipe(Layer.provideMerge(Layer.provide(SqlProfiles.layer(), TimeOrderedIds.layer))),
  Layer.fresh(database)
)

describe("an upgrade of a Postgres database", () => {
  it.live("lets earlier servers start again until the next upgrade", () =>
    Effect.gen(function* () {
      const url = yield* address
      yield* Effect.provide(olderSchema(schemaBefore), connected(url))
      // what a server compares with the schema that it knows
      const known = Effect.gen(function* () {
        const [row] = yield* SqlClient.SqlClient.use((sql) => sql`SELECT max(migration_id) AS id FROM migrations`)
        return row?.["id"]
      }).pipe(Effect.provide(connected(url), { local: true }))
      const starts = Effect.isSuccess(Effect.provide(Effect.void, PostgresDatabase.layer({ url }), { local: true }))
      assert.isFalse(yield* starts)
      assert.deepStrictEqual(yield* PostgresDatabase.migrate(url), { from: schemaBefore, to: newest })
      assert.deepStrictEqual([yield* known, yield* starts], [schemaBefore, true])
      assert.deepStrictEqual(yield* PostgresDatabase.migrate(url), { from: newest, to: newest })
      assert.strictEqual(yield* known, schemaBefore)
      // the next version begins with it, and adds its own
      yield* Effect.provide(contract, connected(url))
      assert.deepStrictEqual([yield* known, yield* starts], [newest, true])
      const add = `INSERT INTO expansions (migration_id, name) VALUES (${newest + 1}, 'later')`
      yield* Effect.provide(
        SqlClient.SqlClient.use((sql) => sql.unsafe(add)),
        connected(url)
      )
      assert.isTrue(yield* starts)
      yield* Effect.provide(contract, connected(url))
      assert.isFalse(yield* starts)
    })
  )

  it.live("keeps the cost of runs that earlier servers delete meanwhile", () =>
    Effect.gen(function* () {
      const url = yield* address
      yield* Effect.gen(function* () {
        yield* olderSchema(5)
        for (const index of [1, 2, 3]) {
          yield* insertOld(index, { cost: "0.5" })
          yield* endOld(index, "south")
        }
      }).pipe(Effect.provide(connected(url)))
      yield* PostgresDatabase.migrate(url)
      const remove = (id: string) => SqlClient.SqlClient.use((sql) => sql`DELETE FROM turns WHERE id = ${id}`)
      yield* Effect.provide(remove("t2"), connected(url))
      const spend = Effect.flatMap(Store, ({ lists }) => lists.spend({ from_ms: 0, to_ms: 2 * 86_400_000 })).pipe(
        Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 100 }),
        Effect.map((days) => days.map(({ cost, owner, turns }) => [owner, turns, cost]))
      )
      yield* Effect.gen(function* () {
        const all = [
          ["ann", 1, "0.5"],
          ["bob", 2, "1"]
        ]
        assert.deepStrictEqual(yield* spend, all)
        yield* remove("t3")
        assert.deepStrictEqual(yield* spend, all)
      }).pipe(Effect.provide(Layer.fresh(Layer.provideMerge(SqlStore.layer, PostgresDatabase.layer({ url })))))
    })
  )

  it.live("names the owner of files that earlier servers stored, or store meanwhile", () =>
    Effect.gen(function* () {
      const url = yield* address
      const put = (id: string) =>
        SqlClient.SqlClient.use(
          (sql) => sql`INSERT INTO workspace_files (id, workspace_id, path, content_type, size, modified_at_ms)
            VALUES (${id}, 'w', ${id}, '', 1, 0)`
        )
      yield* Effect.gen(function* () {
        yield* olderSchema(14)
        yield* SqlClient.SqlClient.use(
          (sql) => sql`INSERT INTO workspaces (id, owner, name, created_at_ms, updated_at_ms)
            VALUES ('w', 'ann', 'null', 0, 0)`
        )
        yield* put("before")
      }).pipe(Effect.provide(connected(url)))
      yield* PostgresDatabase.migrate(url)
      const owners = Effect.andThen(
        put("meanwhile"),
        SqlClient.SqlClient.use((sql) => sql`SELECT id, owner FROM workspace_files ORDER BY id`)
      )
      assert.deepStrictEqual(yield* Effect.provide(owners, connected(url)), [
        { id: "before", owner: "ann" },
        { id: "meanwhile", owner: "ann" }
      ])
    })
  )

  it.live("runs a create once, whether either version or both get it", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const sql = yield* SqlClient.SqlClient
      const recordOf = (key: string, createdAt_ms = 0): IdempotencyRecord => ({
        key,
        body: "body",
        createdAt_ms,
        made: { _tag: "Browser", browser: Browser.make({ id: `b${key}`, proxyCountryCode: null, startedAt_ms: 0 }) }
      })
      /** The create of a server of the version before; false if the key is taken. */
      const createdBefore = (key: string, createdAt_ms = 0) =>
        Effect.map(
          sql`INSERT INTO idempotency_keys (key, created_at_ms, record)
            VALUES (${key}, ${createdAt_ms}, ${JSON.stringify(recordOf(key, createdAt_ms))})
            ON CONFLICT (key) DO UPDATE SET created_at_ms = excluded.created_at_ms, record = excluded.record
            WHERE idempotency_keys.created_at_ms <= ${createdAt_ms - idempotencyLifetime_ms} RETURNING n`,
          (rows) => rows.length === 1
        )
      const created = (key: string, name: string, createdAt_ms = 0) =>
        Effect.map(
          Effect.result(
            store.commit({ ...creation(name), key: { ...recordOf(key, createdAt_ms), also: `also ${key}` } })
          ),
          Result.isSuccess
        )
      assert.deepStrictEqual([yield* createdBefore("a"), yield* created("a", "a")], [true, false])
      assert.deepStrictEqual([yield* created("b", "b"), yield* createdBefore("b")], [true, false])
      for (let round = 0; round < 20; round++) {
        const both = yield* Effect.all([created(`c${round}`, `c${round}`), createdBefore(`c${round}`)], {
          concurrency: 2
        })
        assert.lengthOf(both.filter(Boolean), 1)
      }
      assert.deepStrictEqual(
        [yield* created("a", "later", idempotencyLifetime_ms), yield* createdBefore("b", idempotencyLifetime_ms)],
        [true, true]
      )
      assert.isTrue(Option.isSome(yield* store.idempotencyRecord("also a")))
    }).pipe(Effect.provide(layer))
  )

  it.live("knows when an earlier server lent a profile", () =>
    Effect.gen(function* () {
      const profiles = (yield* Profiles) ?? assert.fail()
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* profiles.create({ name: null, userId: null })
      const lentAt = Effect.map(profiles.find(id), ({ lentAt_ms }) => lentAt_ms)
      yield* sql`UPDATE profiles SET writer = 'b1', last_used_at_ms = 5 WHERE id = ${id}`
      assert.strictEqual(yield* lentAt, 5)
      yield* sql`UPDATE profiles SET last_used_at_ms = 7 WHERE id = ${id}`
      assert.strictEqual(yield* lentAt, 5)
      assert.isTrue(yield* profiles.acquire(id, "b2", "b1"))
      assert.isAbove((yield* lentAt) ?? 0, 7)
    }).pipe(Effect.provide(layer))
  )
})
