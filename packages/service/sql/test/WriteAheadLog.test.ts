import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { spawn } from "node:child_process"
import { copyFileSync, existsSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { NodeSqlite, WriteAheadLog } from "../src/index.ts"
import { make } from "../src/WriteAheadLog.ts"
import { file } from "./files.ts"

const limit = 2 ** 20

/** Size of one row, in bytes. */
const row = 100_000

const logSize = (path: string) => statSync(`${path}-wal`).size

const insert = SqlClient.SqlClient.use((sql) => sql`INSERT INTO notes (text) VALUES (${"x".repeat(row)})`)

const createTable = SqlClient.SqlClient.use((sql) => sql`CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)`)

const withTable = <A, E>(
  path: string,
  use: Effect.Effect<A, E, SqlClient.SqlClient>,
  options: Partial<NodeSqlite.SqliteOptions> = {}
) => Effect.provide(Effect.andThen(createTable, use), NodeSqlite.layer({ file: path, logLimit: limit, ...options }))

/** A process that holds a snapshot until the scope closes. */
const reader = (path: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly pid: number | undefined; readonly stop: Effect.Effect<void> }>((resume) => {
      const program = fileURLToPath(new URL("./reader.mjs", import.meta.url))
      const child = spawn(process.execPath, [program, path], { stdio: ["ignore", "pipe", "inherit"] })
      const closed = new Promise<void>((resolve) => child.once("close", () => resolve()))
      const stop = Effect.promise(() => {
        child.kill("SIGKILL")
        return closed
      })
      child.stdout.once("data", () => resume(Effect.succeed({ pid: child.pid, stop })))
    }),
    ({ stop }) => stop
  )

const insertSmall = SqlClient.SqlClient.use((sql) => sql`INSERT INTO notes (text) VALUES ('x')`)

/** Writes small rows, with pauses, until the condition holds. */
const insertUntil = (isDone: Effect.Effect<boolean>): Effect.Effect<void, SqlError, SqlClient.SqlClient> =>
  Effect.flatMap(Effect.andThen(insertSmall, isDone), (done) =>
    done ? Effect.void : Effect.andThen(Effect.sleep("1 millis"), insertUntil(isDone))
  )

/** Number of rows in the file without its log; undefined before it has the table. */
const copiedRows = (path: string) => {
  copyFileSync(path, `${path}.copy`)
  const copy = new DatabaseSync(`${path}.copy`, { readOnly: true })
  try {
    const hasTable = copy.prepare("SELECT name FROM sqlite_schema WHERE name = 'notes'").get() !== undefined
    return hasTable ? copy.prepare("SELECT count(*) AS count FROM notes").get()?.["count"] : undefined
  } finally {
    copy.close()
  }
}

describe("WriteAheadLog", () => {
  it.live("stays below its limit plus one write while a client writes continuously", () =>
    Effect.gen(function* () {
      const path = yield* file
      let largest = 0
      let written = 0
      const write = Effect.tap(insert, () =>
        Effect.sync(() => {
          written += row
          largest = Math.max(largest, logSize(path))
        })
      )
      yield* withTable(path, Effect.repeat(write, { times: 200 }))
      assert.isAbove(written, 10 * limit)
      assert.isBelow(largest, limit + 2 * row)
    })
  )

  it.live("is emptied between transactions that wait for each other", () =>
    Effect.gen(function* () {
      const path = yield* file
      let largest = 0
      const write = SqlClient.SqlClient.use((sql) =>
        sql.withTransaction(
          Effect.andThen(
            insert,
            Effect.sync(() => (largest = Math.max(largest, logSize(path))))
          )
        )
      )
      yield* withTable(
        path,
        Effect.all(
          Array.from({ length: 100 }, () => write),
          { concurrency: "unbounded" }
        )
      )
      assert.isBelow(largest, limit + 2 * row)
    })
  )

  it.live("reports the process whose snapshot blocks it, accepts writes meanwhile, and is emptied afterwards", () =>
    Effect.gen(function* () {
      const path = yield* file
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      const program = Effect.gen(function* () {
        const { blockedBy } = yield* WriteAheadLog
        yield* insert
        const other = yield* reader(path)
        assert.isNull(yield* blockedBy)
        yield* insertUntil(Effect.map(blockedBy, (blocking) => blocking !== null))
        yield* Effect.repeat(insert, { times: 20 })
        assert.isAbove(logSize(path), limit + 2 * row)
        // where the operating system lists no locks, no process has a name
        if (existsSync("/proc/locks")) {
          assert.deepStrictEqual((yield* blockedBy)?.processes, [`${other.pid} (node)`])
          assert.match(lines[0] ?? "", new RegExp(`snapshot for \\d+ s, .*: ${other.pid} \\(node\\)$`, "u"))
        }
        yield* other.stop
        // a log that starts over is cut to the limit, one that a checkpoint emptied to nothing
        yield* insertUntil(Effect.sync(() => logSize(path) <= limit))
        yield* insertUntil(Effect.map(blockedBy, (blocking) => blocking === null))
        assert.lengthOf(lines, 2)
      })
      yield* withTable(path, Effect.scoped(program), { checkpointEvery_ms: 5, longSnapshot_ms: 1 }).pipe(
        Effect.provide(Logger.layer([logger]))
      )
    })
  )

  it.live("has no checkpoints while idle, and wakes for the next write", () =>
    Effect.gen(function* () {
      const path = yield* file
      const db = yield* Effect.acquireRelease(
        Effect.sync(() => new DatabaseSync(path)),
        (open) => Effect.sync(() => open.close())
      )
      db.exec("PRAGMA journal_mode = WAL; CREATE TABLE notes (id INTEGER PRIMARY KEY)")
      const log = yield* make(db, { file: path, limit, checkpointEvery_ms: 5, longSnapshot_ms: 10_000 })
      const sleeps = Effect.repeat(Effect.delay(Effect.sync(log.isAwake), "1 millis"), { while: (isAwake) => isAwake })
      for (const written of [1, 2, 3]) {
        yield* log.room
        db.exec("BEGIN IMMEDIATE; INSERT INTO notes DEFAULT VALUES")
        // a write may be longer than the thread stays awake
        yield* sleeps
        db.exec("COMMIT")
        yield* log.wake
        assert.isTrue(log.isAwake())
        yield* sleeps
        assert.strictEqual(copiedRows(path), written)
      }
    })
  )

  it.live("is copied into the file after a transaction that outlasts the checkpoint thread", () =>
    Effect.gen(function* () {
      const path = yield* file
      const slow = SqlClient.SqlClient.use((sql) =>
        sql.withTransaction(Effect.andThen(Effect.sleep("500 millis"), insertSmall))
      )
      const isCopied = Effect.sync(() => copiedRows(path) === 1)
      const copied = Effect.repeat(Effect.delay(isCopied, "10 millis"), { until: (isDone) => isDone, times: 2000 })
      const all = Effect.andThen(slow, Effect.andThen(copied, isCopied))
      assert.isTrue(yield* withTable(path, all, { checkpointEvery_ms: 5 }))
    })
  )

  it.live("is emptied at the start if a killed server left it too large", () =>
    Effect.gen(function* () {
      const [path, copy] = [yield* file, `${yield* file}.copy`]
      const fill = Effect.andThen(
        Effect.repeat(insert, { times: 20 }),
        // as they are after a kill: nothing closed the file
        Effect.sync(() => ["", "-wal"].forEach((part) => copyFileSync(`${path}${part}`, `${copy}${part}`)))
      )
      yield* withTable(path, fill, { logLimit: 2 ** 30, checkpointEvery_ms: 86_400_000 })
      assert.isAbove(logSize(copy), limit)
      const count = SqlClient.SqlClient.use((sql) => sql`SELECT id FROM notes`)
      const opened = Effect.andThen(
        Effect.sync(() => assert.strictEqual(logSize(copy), 0)),
        count
      )
      assert.lengthOf(yield* Effect.provide(opened, NodeSqlite.layer({ file: copy, logLimit: limit })), 21)
    })
  )
})
