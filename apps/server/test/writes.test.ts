import { assert, it } from "@effect/vitest"
import { Store } from "@webagent/engine"
import { Monitoring } from "@webagent/server"
import { Database, PostgresDatabase, SqlStore } from "@webagent/sql"
import { creation } from "@webagent/store-contract/Creation"
import { TestPostgres } from "@webagent/test-postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { join } from "node:path"
import { type Data, dataOf } from "../src/data.ts"
import { Drain } from "../src/drain.ts"
import { layerMonitoring } from "../src/monitoring.ts"
import { layerObserved, Writes } from "../src/writes.ts"
import { folder } from "./program.ts"

const layerOver = <E, R>(data: Data, database: Layer.Layer<SqlClient.SqlClient | R, E>) =>
  layerMonitoring(data).pipe(
    Layer.provideMerge(Layer.provide(layerObserved, SqlStore.layer)),
    Layer.provide(Writes.layer(data.name)),
    Layer.provideMerge(database),
    Layer.provide(Drain.layer)
  )

const overFile = Layer.unwrap(
  Effect.map(folder, (path) => {
    const file = join(path, "server.db")
    return layerOver(dataOf(file), Database.layer({ file }))
  })
)

const health = Effect.gen(function* () {
  const { health } = yield* Monitoring.Monitoring
  const { reason, status, store } = yield* health
  return { status, reason, store: store as { readonly answers: boolean; readonly writeError: string | null } }
})

const readOnly = SqlClient.SqlClient.use((sql) => sql`PRAGMA query_only = ON`)
const writable = SqlClient.SqlClient.use((sql) => sql`PRAGMA query_only = OFF`)

/** Number of probes that were written so far: 0 or 1. */
const probes = SqlClient.SqlClient.use((sql) =>
  Effect.map(sql`SELECT 1 FROM secrets WHERE name = 'write probe'`, (rows) => rows.length)
)

const commit = (id: string) => Store.use((store) => store.commit(creation(id)))

const withLog = <A, E, R>(effect: (lines: ReadonlyArray<string>) => Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
    return Effect.provide(effect(lines), Logger.layer([logger]))
  })

it.effect("/health reports unavailable with the reason while writes fail, and ok again afterwards", () =>
  Effect.gen(function* () {
    assert.strictEqual((yield* health).status, "ok")
    yield* readOnly
    yield* TestClock.adjust(1000)
    const { reason, status, store } = yield* health
    assert.deepStrictEqual([status, reason], ["unavailable", "Writes to the database fail"])
    assert.deepInclude(store, { answers: true, writeError: "attempt to write a readonly database" })
    yield* writable
    yield* TestClock.adjust(1000)
    assert.strictEqual((yield* health).status, "ok")
  }).pipe(Effect.provide(overFile))
)

it.effect("a probe is written only when no other write succeeded within a second", () =>
  Effect.gen(function* () {
    yield* commit("1")
    yield* health
    assert.strictEqual(yield* probes, 0)
    yield* TestClock.adjust(1000)
    // no client requested the health
    assert.strictEqual(yield* probes, 0)
    yield* health
    assert.strictEqual(yield* probes, 1)
  }).pipe(Effect.provide(overFile))
)

it.effect("the log has the reason of failed writes once a minute, and a line when they succeed again", () =>
  withLog((lines) =>
    Effect.gen(function* () {
      yield* readOnly
      for (const id of ["1", "2", "3"]) yield* Effect.flip(commit(id))
      assert.lengthOf(lines, 1)
      assert.match(lines[0] ?? "", /^Error Writes to .*server\.db fail, .*: attempt to write a readonly database$/u)
      yield* TestClock.adjust("1 minute")
      for (const id of ["1", "2", "3"]) yield* Effect.flip(commit(id))
      assert.lengthOf(lines, 2)
      yield* writable
      yield* commit("1")
      assert.match(lines[2] ?? "", /^Info Writes to .*server\.db succeed again$/u)
      yield* readOnly
      yield* Effect.flip(commit("2"))
      yield* writable
      yield* commit("2")
      assert.lengthOf(lines, 3)
    }).pipe(Effect.provide(overFile))
  )
)

it.effect("/health reports unavailable while Postgres refuses writes", () =>
  Effect.gen(function* () {
    const { database } = yield* TestPostgres
    const address = yield* database
    const over = layerOver(dataOf(address), PostgresDatabase.layer({ url: Redacted.make(address) }))
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // applies to open connections at once, unlike a setting of the database
      const setReadOnly = (value: string) =>
        Effect.andThen(
          sql.unsafe(`ALTER SYSTEM SET default_transaction_read_only = ${value}`),
          sql`SELECT pg_reload_conf()`
        )
      const until = (isDone: (status: string) => boolean): Effect.Effect<void> =>
        Effect.gen(function* () {
          yield* TestClock.adjust(1000)
          if (!isDone((yield* health).status)) yield* Effect.andThen(Effect.yieldNow, until(isDone))
        })
      assert.strictEqual((yield* health).status, "ok")
      yield* setReadOnly("on")
      yield* until((status) => status === "unavailable")
      const { store } = yield* health
      assert.strictEqual(store.writeError, "cannot execute INSERT in a read-only transaction")
      yield* setReadOnly("off")
      yield* until((status) => status === "ok")
    }).pipe(Effect.provide(over))
  }).pipe(Effect.provide(TestPostgres.layer))
)
