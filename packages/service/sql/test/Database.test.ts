import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Database, NodeSqlite } from "../src/index.ts"
import { loader, newest } from "../src/migrations.ts"
import { table } from "../src/schema.ts"
import { file } from "./files.ts"

const put = SqlClient.SqlClient.use((sql) => sql`INSERT INTO secrets VALUES ('test', x'01')`)
const count = SqlClient.SqlClient.use((sql) => Effect.map(sql`SELECT * FROM secrets`, (rows) => rows.length))

const using = <A, E>(path: string, effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.provide(effect, Database.layer({ file: path }))

const changing = (path: string, statement: string) =>
  Effect.sync(() => {
    const db = new DatabaseSync(path)
    db.exec(statement)
    db.close()
  })

const refusal = (path: string) =>
  Effect.map(Effect.flip(using(path, Effect.void)), (error) =>
    error._tag === "DatabaseError" ? error.message : error._tag
  )

describe("Database", () => {
  it.live("creates a new file that only its owner can read, and opens it again", () =>
    Effect.gen(function* () {
      const path = yield* file
      yield* using(path, put)
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      assert.strictEqual(yield* using(path, count), 1)
    })
  )

  it.live("refuses a newer version's file in one sentence, and changes nothing", () =>
    Effect.gen(function* () {
      const path = yield* file
      yield* using(path, put)
      yield* changing(path, "INSERT INTO migrations (migration_id, name) VALUES (999, 'later')")
      assert.match(
        yield* refusal(path),
        /server\.db was written by a newer version \(schema 999, this one knows \d+\)\. Update webagent-server, or use a backup\.$/u
      )
    })
  )

  it.live("refuses an older file until it is migrated, and keeps a backup of it", () =>
    Effect.gen(function* () {
      const path = yield* file
      const first = Migrator.make({})({ loader: Effect.map(loader, (all) => all.slice(0, 1)), table })
      yield* Effect.provide(Effect.andThen(first, put), NodeSqlite.layer({ file: path }))
      assert.strictEqual(
        yield* refusal(path),
        `${path} is of an older version (schema 1, this one needs ${newest}). Run: webagent-server migrate --data ${path}`
      )
      const { backup, from, to } = yield* Database.migrate(path)
      assert.deepStrictEqual([from, to], [1, newest])
      assert.strictEqual(yield* using(path, count), 1)
      assert.match(yield* refusal(backup ?? ""), /is of an older version \(schema 1,/u)
    })
  )

  it.live("remembers in a migrated file how long its sessions have been idle", () =>
    Effect.gen(function* () {
      const path = yield* file
      const second = Migrator.make({})({ loader: Effect.map(loader, (all) => all.slice(0, 2)), table })
      yield* Effect.provide(second, NodeSqlite.layer({ file: path }))
      const session = (id: string, ended: string) => `
        INSERT INTO sessions (id, revision, record) VALUES ('${id}', 1, '{"createdAt_ms":5}');
        INSERT INTO turns (id, session_id, seq, status, ended_at_ms, usd, record)
          VALUES ('t${id}', '${id}', 1, '', ${ended}, 0, '{}');`
      yield* changing(path, session("idle", "7") + session("busy", "NULL"))
      yield* Database.migrate(path)
      const idle = SqlClient.SqlClient.use(
        (sql) => sql`SELECT id, idle_since_ms, record ->> 'idleSince_ms' AS told FROM sessions ORDER BY n`
      )
      assert.deepStrictEqual(
        (yield* using(path, idle)).map((row) => Object.values(row)),
        [
          ["idle", 7, 7],
          ["busy", null, null]
        ]
      )
    })
  )

  it.live("names the owner of the files in a migrated file", () =>
    Effect.gen(function* () {
      const path = yield* file
      const before = Migrator.make({})({ loader: Effect.map(loader, (all) => all.slice(0, 16)), table })
      yield* Effect.provide(before, NodeSqlite.layer({ file: path }))
      yield* changing(
        path,
        `INSERT INTO workspaces (id, owner, name, created_at_ms, updated_at_ms) VALUES ('w', 'ann', 'null', 0, 0);
         INSERT INTO workspace_files VALUES ('f', 'w', 'a', '', 1, 0);`
      )
      yield* Database.migrate(path)
      const owners = SqlClient.SqlClient.use((sql) => sql`SELECT owner FROM workspace_files`)
      assert.deepStrictEqual(
        (yield* using(path, owners)).map((row) => Object.values(row)),
        [["ann"]]
      )
    })
  )

  it.live("refuses a second server on the file until the first one stops", () =>
    Effect.gen(function* () {
      const path = yield* file
      const message = yield* Effect.scoped(
        Effect.andThen(Database.locked(path), Effect.scoped(Effect.flip(Database.locked(path))))
      )
      assert.match(message.message, /server\.db is in use by another webagent-server\./u)
      yield* Effect.scoped(Database.locked(path))
    })
  )

  it.live("refuses a second server on the file under another name", () =>
    Effect.gen(function* () {
      const path = yield* file
      yield* using(path, put)
      const link = join(dirname(path), "link.db")
      symlinkSync(path, link)
      const { message } = yield* Effect.scoped(
        Effect.andThen(Database.locked(path), Effect.scoped(Effect.flip(Database.locked(link))))
      )
      assert.match(message, /link\.db is in use by another webagent-server\./u)
    })
  )

  it.live("names the file that the system refuses to open", () =>
    Effect.gen(function* () {
      // the name of its log is too long
      const path = join(dirname(yield* file), `${"a".repeat(250)}.db`)
      const message = yield* refusal(path)
      assert.isTrue(message.startsWith(`Cannot use ${path}: ENAMETOOLONG`), message)
    })
  )

  it.live("refuses another program's database or a damaged file, and writes nothing next to it", () =>
    Effect.gen(function* () {
      const path = yield* file
      yield* changing(path, "CREATE TABLE orders (id INTEGER)")
      assert.strictEqual(yield* refusal(path), `${path} is the database of another program. Choose another one.`)
      const text = join(dirname(path), "notes.txt")
      writeFileSync(text, "not a database ".repeat(100))
      const sentence = `${text} is not a database. Choose another file.`
      assert.strictEqual(yield* refusal(text), sentence)
      assert.strictEqual((yield* Effect.flip(Effect.scoped(Database.locked(text)))).message, sentence)
      assert.strictEqual((yield* Effect.flip(Database.migrate(text))).message, sentence)
      assert.notInclude(readdirSync(dirname(path)), "notes.txt.lock")
    })
  )

  it.live("backs up committed data while the file is open, and never overwrites a file", () =>
    Effect.gen(function* () {
      const path = yield* file
      const copy = `${path}.copy`
      yield* using(path, Effect.andThen(put, Database.backup(path, copy)))
      assert.strictEqual(statSync(copy).mode & 0o777, 0o600)
      assert.strictEqual(yield* using(copy, count), 1)
      const again = yield* Effect.flip(Database.backup(path, copy))
      assert.strictEqual(again.message, `${copy} exists. Choose another name for the backup.`)
    })
  )

  it.live("leaves no partial backup if it can't be written", () =>
    Effect.gen(function* () {
      const path = yield* file
      writeFileSync(path, "not a database ".repeat(100))
      const { message } = yield* Effect.flip(Database.backup(path, `${path}.copy`))
      assert.strictEqual(message, `Cannot write the backup ${path}.copy: file is not a database.`)
      assert.deepStrictEqual(readdirSync(dirname(path)), ["server.db"])
    })
  )

  it.live("doesn't migrate or back up a current file", () =>
    Effect.gen(function* () {
      const path = yield* file
      yield* using(path, put)
      const { backup, from, to } = yield* Database.migrate(path)
      assert.deepStrictEqual([backup, from], [null, to])
      const missing = `${path}.missing`
      yield* Effect.flip(Database.migrate(missing))
      assert.isFalse(existsSync(missing))
    })
  )
})
