import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Migrator from "effect/sql/Migrator"
import type * as Scope from "effect/Scope"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync
} from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { DatabaseError } from "./DatabaseError.ts"
import { loader, newest } from "./migrations.ts"
import * as NodeSqlite from "./NodeSqlite.ts"
import type { Reader } from "./Reader.ts"
import { isOlder, schemaOf, table } from "./schema.ts"

const refuse = (file: string, message: string) => new DatabaseError({ database: file, message })

const noDatabase = (file: string) => refuse(file, `${file} is not a database. Choose another file.`)

/** SQLITE_NOTADB. */
const notADatabase = 26

const unusable = (file: string) => (error: SqlError) =>
  codeOf(error.reason.cause) === notADatabase
    ? noDatabase(file)
    : refuse(
        file,
        // SQLite's own messages start with the file
        `Cannot use ${error.message.startsWith(file) ? "" : `${file}: `}${error.message}. Check the path, its permissions and the space on the disk.`
      )

const run = Migrator.make({})({ loader, table })

/** Makes a new file ready; refuses one that has to be migrated first, is of a newer version or of another program. */
const ready = Effect.fnUntraced(function* (file: string) {
  const schema = yield* schemaOf(file, newest)
  if (schema === newest) return
  if (schema === 0) return yield* Effect.catchTag(run, "MigrationError", Effect.die)
  return yield* isOlder(file, schema, newest)
})

const make = (file: string, mode?: number) => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  if (mode !== undefined && !existsSync(file)) closeSync(openSync(file, "a", mode))
}

/** The file holds secrets: only who made it may read it. SQLite gives its log the same permissions. */
const own = (file: string) => Effect.ignore(Effect.try(() => make(file, 0o600)))

const opened = (options: NodeSqlite.SqliteOptions) =>
  Layer.unwrap(Effect.as(own(options.file), NodeSqlite.layer(options)))

/** The database of a server: a file that is not there is made, with its folder. */
export const layer = (options: NodeSqlite.SqliteOptions): Layer.Layer<SqlClient.SqlClient | Reader, DatabaseError> =>
  Layer.effectDiscard(ready(options.file)).pipe(
    Layer.provideMerge(opened(options)),
    Layer.catch((error) =>
      Layer.effectContext(Effect.fail(error._tag === "SqlError" ? unusable(options.file)(error) : error))
    )
  )

/** First bytes of every database file. */
const header = "SQLite format 3\0"

/** True if SQLite wrote the file, or if the file is missing or empty. */
const isDatabase = (file: string): boolean => {
  if (!existsSync(file)) return true
  const start = Buffer.alloc(header.length)
  const open = openSync(file, "r")
  try {
    return readSync(open, start) === 0 || start.toString("latin1") === header
  } finally {
    closeSync(open)
  }
}

/**
 * Keeps other servers off the file until the scope closes: two would carry out the same runs. The operating system ends
 * the lock with the process, however that ends. Commands that read or write keys go on.
 */
export const locked = (file: string): Effect.Effect<void, DatabaseError, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.try({
        try: () => {
          // before anything is put beside it
          if (!isDatabase(file)) throw noDatabase(file)
          make(file, 0o600)
          // a link to the file has the same lock
          const lock = new DatabaseSync(`${realpathSync(file)}.lock`, { timeout: 0 })
          // a journal file would need space, and a full disk must not keep a server from starting
          lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE")
          return lock
        },
        catch: (cause) => {
          if (cause instanceof DatabaseError) return cause
          return refuse(
            file,
            isBusy(cause)
              ? `${file} is in use by another webagent-server. Stop that one, or choose another file with --data.`
              : `Cannot use ${file}: ${causeOf(cause)}. Check the path, its permissions and the space on the disk.`
          )
        }
      }),
      (lock) => Effect.sync(() => lock.close())
    )
  )

const causeOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))

/** The result code of SQLite; 0 where it is not SQLite's error. */
const codeOf = (cause: unknown): number => (cause as { readonly errcode?: number } | undefined)?.errcode ?? 0

const isBusy = (cause: unknown) => codeOf(cause) === 5

/**
 * Writes a copy of what is committed now to a new file, while servers go on. The copy is complete once it has its
 * name.
 */
export const backup = (file: string, to: string): Effect.Effect<void, DatabaseError> =>
  Effect.suspend(() => {
    if (!existsSync(file)) return refuse(file, `${file} does not exist. Check the path.`)
    if (existsSync(to)) return refuse(to, `${to} exists. Choose another name for the backup.`)
    const part = `${to}.part`
    return Effect.try({
      try: () => {
        rmSync(part, { force: true })
        closeSync(openSync(part, "a", 0o600))
        const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
        try {
          db.prepare("VACUUM INTO ?").run(part)
        } finally {
          db.close()
        }
        const copy = openSync(part, "r+")
        fsyncSync(copy)
        closeSync(copy)
        renameSync(part, to)
      },
      catch: (cause) => {
        rmSync(part, { force: true })
        return refuse(to, `Cannot write the backup ${to}: ${causeOf(cause)}.`)
      }
    })
  })

/** Result of a migration; `backup` is the copy of the file before it. */
export interface Migrated {
  readonly from: number
  readonly to: number
  readonly backup: string | null
}

const migrateOpen = Effect.fnUntraced(function* (file: string) {
  const schema = yield* schemaOf(file, newest)
  if (schema === newest) return { from: schema, to: newest, backup: null }
  const at = new Date(yield* Clock.currentTimeMillis).toISOString().replaceAll(":", "-")
  const copy = `${file}.schema-${schema}.${at}.backup`
  yield* backup(file, copy)
  yield* run
  return { from: schema, to: newest, backup: copy }
})

/** Brings a file to the schema of this version, after a backup beside it; refused while a server has the file. */
export const migrate = (file: string): Effect.Effect<Migrated, DatabaseError> =>
  Effect.suspend(() =>
    existsSync(file)
      ? Effect.scoped(Effect.andThen(locked(file), Effect.provide(migrateOpen(file), NodeSqlite.layer({ file }))))
      : Effect.fail(refuse(file, `${file} does not exist. A server that starts with it makes it.`))
  ).pipe(
    Effect.catchTags({
      SqlError: (error) => Effect.fail(unusable(file)(error)),
      MigrationError: ({ message }) => Effect.fail(refuse(file, `${message}. ${file} is as it was before.`))
    })
  )
