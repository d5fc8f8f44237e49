import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { spawn } from "node:child_process"
import { statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { NodeSqlite } from "../src/index.ts"
import { file, folder } from "./files.ts"

const layerOf = (path: string, options: Partial<NodeSqlite.SqliteOptions> = {}) =>
  NodeSqlite.layer({ file: path, ...options })

/** Runs against a new file with one table. */
const withTable = <A, E>(
  use: (sql: SqlClient.SqlClient, path: string) => Effect.Effect<A, E>,
  options: Partial<NodeSqlite.SqliteOptions> = {}
) =>
  Effect.flatMap(file, (path) =>
    SqlClient.SqlClient.use((sql) =>
      Effect.andThen(sql`CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT)`, use(sql, path))
    ).pipe(Effect.provide(layerOf(path, options)))
  )

const reasonOf = <A>(effect: Effect.Effect<A, SqlError>) =>
  Effect.map(Effect.flip(effect), ({ message, reason }) => ({ tag: reason._tag, message }))

describe("NodeSqlite", () => {
  it.live("reads committed data while a transaction is open, and waits for no writer", () =>
    withTable((sql) =>
      Effect.gen(function* () {
        yield* sql`INSERT INTO notes VALUES ('one', 'committed')`
        const written = yield* Deferred.make<void>()
        const read = yield* Deferred.make<void>()
        const writer = yield* Effect.forkChild(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`UPDATE notes SET text = 'open' WHERE id = 'one'`
              yield* Deferred.succeed(written, undefined)
              yield* Deferred.await(read)
              return yield* sql`SELECT text FROM notes`
            })
          )
        )
        yield* Deferred.await(written)
        assert.deepStrictEqual(
          (yield* sql`SELECT text FROM notes`).map((row) => row["text"]),
          ["committed"]
        )
        yield* Deferred.succeed(read, undefined)
        // the transaction sees its own write
        assert.deepStrictEqual(
          (yield* Fiber.join(writer)).map((row) => row["text"]),
          ["open"]
        )
        assert.deepStrictEqual(
          (yield* sql`SELECT text FROM notes`).map((row) => row["text"]),
          ["open"]
        )
      })
    )
  )

  it.live("runs one transaction at a time, so that no increment is lost", () =>
    withTable((sql) =>
      Effect.gen(function* () {
        yield* sql`INSERT INTO notes VALUES ('count', '0')`
        const increment = sql.withTransaction(
          Effect.gen(function* () {
            const [row] = yield* sql<{ readonly text: string }>`SELECT text FROM notes`
            yield* Effect.yieldNow
            yield* sql`UPDATE notes SET text = ${String(Number(row?.text) + 1)}`
          })
        )
        yield* Effect.all(
          Array.from({ length: 50 }, () => increment),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual((yield* sql`SELECT text FROM notes`)[0]?.["text"], "50")
      })
    )
  )

  it.live("rolls back a failed nested transaction, and commits the one around it", () =>
    withTable((sql) =>
      Effect.gen(function* () {
        const put = (id: string) => sql`INSERT INTO notes (id) VALUES (${id})`
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* put("outer")
            yield* Effect.ignore(sql.withTransaction(Effect.andThen(put("inner"), Effect.fail("no"))))
            yield* sql.withTransaction(put("second"))
          })
        )
        yield* Effect.ignore(sql.withTransaction(Effect.andThen(put("lost"), Effect.fail("no"))))
        assert.deepStrictEqual(
          (yield* sql`SELECT id FROM notes ORDER BY id`).map((row) => row["id"]),
          ["outer", "second"]
        )
      })
    )
  )

  it.live("distinguishes unique constraint violations from other errors", () =>
    withTable((sql) =>
      Effect.gen(function* () {
        yield* sql`CREATE UNIQUE INDEX by_text ON notes (text)`
        yield* sql`INSERT INTO notes VALUES ('one', 'same')`
        assert.strictEqual((yield* reasonOf(sql`INSERT INTO notes (id) VALUES ('one')`)).tag, "UniqueViolation")
        assert.strictEqual((yield* reasonOf(sql`INSERT INTO notes VALUES ('two', 'same')`)).tag, "UniqueViolation")
      })
    )
  )

  it.live("fails with LockTimeoutError on another connection's lock, and works afterwards", () =>
    withTable(
      (sql, path) =>
        Effect.gen(function* () {
          const other = new DatabaseSync(path)
          other.exec("BEGIN IMMEDIATE")
          const insert = sql`INSERT INTO notes (id) VALUES ('one')`
          assert.strictEqual((yield* reasonOf(insert)).tag, "LockTimeoutError")
          assert.strictEqual((yield* reasonOf(sql.withTransaction(insert))).tag, "LockTimeoutError")
          other.exec("ROLLBACK")
          other.close()
          yield* sql.withTransaction(insert)
          assert.lengthOf(yield* sql`SELECT id FROM notes`, 1)
        }),
      { busyTimeout_ms: 1 }
    )
  )

  it.live("fails with ConnectionError on a full disk, and keeps its data", () =>
    withTable((sql) =>
      Effect.gen(function* () {
        yield* sql`INSERT INTO notes (id) VALUES ('before')`
        yield* sql`PRAGMA max_page_count = 3`
        const big = sql`INSERT INTO notes VALUES ('big', ${"x".repeat(100_000)})`
        const { message, tag } = yield* reasonOf(sql.withTransaction(big))
        assert.strictEqual(tag, "ConnectionError")
        assert.match(message, /server\.db: database or disk is full$/u)
        yield* sql`PRAGMA max_page_count = 1000000`
        yield* sql.withTransaction(big)
        assert.lengthOf(yield* sql`SELECT id FROM notes`, 2)
      })
    )
  )

  it.live("fails with ConnectionError if nothing can be written", () =>
    withTable((sql) =>
      Effect.gen(function* () {
        yield* sql`PRAGMA query_only = ON`
        const { message, tag } = yield* reasonOf(sql`INSERT INTO notes (id) VALUES ('one')`)
        assert.strictEqual(tag, "ConnectionError")
        assert.match(message, /server\.db: attempt to write a readonly database$/u)
      })
    )
  )

  it.live("fails with ConnectionError for a missing folder and a file that isn't a database", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const opening = (path: string) => reasonOf(Effect.provide(Effect.void, layerOf(path)))
      const missing = join(at, "nowhere", "server.db")
      assert.deepStrictEqual(yield* opening(missing), {
        tag: "ConnectionError",
        message: `${missing}: unable to open database file`
      })
      const text = join(at, "notes.txt")
      writeFileSync(text, "not a database ".repeat(100))
      assert.deepStrictEqual(yield* opening(text), {
        tag: "ConnectionError",
        message: `${text}: file is not a database`
      })
    })
  )

  it.live("copies the log into the file outside of commits", () =>
    withTable(
      (sql, path) =>
        Effect.gen(function* () {
          const before = statSync(path).size
          yield* sql`INSERT INTO notes VALUES ('big', ${"x".repeat(100_000)})`
          while (statSync(path).size < before + 100_000) yield* Effect.sleep("5 millis")
        }),
      { checkpointEvery_ms: 5 }
    )
  )

  it.live("leaves a valid file with every committed row when its process is killed", () =>
    Effect.gen(function* () {
      const path = yield* file
      const writer = fileURLToPath(new URL("./writer.ts", import.meta.url))
      const acknowledged = yield* Effect.promise(
        () =>
          new Promise<number>((resolve) => {
            const child = spawn(process.execPath, ["--conditions=@webagent/source", writer, path], {
              stdio: ["ignore", "pipe", "inherit"]
            })
            let said = ""
            child.stdout.on("data", (chunk) => {
              said += String(chunk)
              if (said.split("\n").length > 500) child.kill("SIGKILL")
            })
            child.once("close", () => resolve(said.split("\n").length - 1))
          })
      )
      assert.isAtLeast(acknowledged, 500)
      yield* SqlClient.SqlClient.use((sql) =>
        Effect.gen(function* () {
          assert.deepStrictEqual((yield* sql`PRAGMA integrity_check`)[0]?.["integrity_check"], "ok")
          assert.lengthOf(yield* sql`SELECT id FROM rows WHERE half = 'first'`, 0)
          const [count] = yield* sql<{ readonly kept: number }>`SELECT count(*) AS kept FROM rows`
          assert.isAtLeast(count?.kept ?? 0, acknowledged)
        })
      ).pipe(Effect.provide(layerOf(path)))
    })
  )
})
