import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type { Borrower, Connection } from "effect/sql/SqlConnection"
import { classifySqliteError, ConnectionError, SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import * as Stream from "effect/Stream"
import * as GroupCommit from "./GroupCommit.ts"
import { Reader } from "./Reader.ts"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import * as WriteAheadLog from "./WriteAheadLog.ts"

/** Location of the file, and durability of its commits. */
export interface SqliteOptions {
  readonly file: string
  /** `normal`, the default: a commit survives the end of the process, in any way. `full`: it also survives a power loss. */
  readonly durable?: "normal" | "full"
  /** Interval for copying the log into the file, in milliseconds; 250 by default. */
  readonly checkpointEvery_ms?: number
  /** Time that a statement waits for the lock of another process; 5000 by default. The thread is blocked meanwhile. */
  readonly busyTimeout_ms?: number
  /** Size of the write-ahead log above which a write first empties it, in bytes; 64 MB by default. */
  readonly logLimit?: number
  /** Age at which a snapshot that blocks the log is reported, in milliseconds; 10 seconds by default. */
  readonly longSnapshot_ms?: number
}

/**
 * A number that changes when another process commits to the file, and not when this one does. Reading it costs next to
 * nothing; it is null while the file can't be read.
 */
export const ForeignCommits: Context.Reference<Effect.Effect<number | null>> = Context.Reference(
  "@webagent/sql/ForeignCommits",
  { defaultValue: () => Effect.succeed<number | null>(null) }
)

/** The size above which the write-ahead log is emptied, in bytes. */
const defaultLogLimit = 64 * 2 ** 20

/** The prepared statements that a connection keeps; the oldest is dropped first. */
const maxPrepared = 256

/** The result codes that are about the file and not about the statement: I/O, read-only, full, corrupt, not SQLite. */
const fileCodes = new Set([8, 10, 11, 13, 14, 26])

/** SQLITE_CONSTRAINT_PRIMARYKEY and _UNIQUE are both a value that is there already; effect knows the second. */
const [primaryKey, unique] = [1555, 2067]

/**
 * Converts an error of `node:sqlite` to an error of effect/sql: it has the result code as `errcode`, but effect reads
 * `errno`.
 */
const sqlError = (file: string, operation: string) => (cause: unknown) => {
  const { errcode = 1, message = String(cause) } = cause as { readonly errcode?: number; readonly message?: string }
  if (fileCodes.has(errcode & 0xff)) {
    return new SqlError({ reason: new ConnectionError({ cause, operation, message: `${file}: ${message}` }) })
  }
  const classified = Object.assign(new Error(message, { cause }), { errno: errcode === primaryKey ? unique : errcode })
  return new SqlError({ reason: classifySqliteError(classified, { message, operation }) })
}

const inputOf = (value: unknown): SQLInputValue => {
  if (value === undefined || value === null) return null
  if (typeof value === "boolean") return value ? 1 : 0
  if (value instanceof Date) return value.toISOString()
  return value as SQLInputValue
}

const makePrepare = (db: DatabaseSync) => {
  const prepared = new Map<string, StatementSync>()
  return (text: string): StatementSync => {
    const existing = prepared.get(text)
    if (existing !== undefined) return existing
    const statement = db.prepare(text)
    const [oldest] = prepared.keys()
    if (oldest !== undefined && prepared.size >= maxPrepared) prepared.delete(oldest)
    prepared.set(text, statement)
    return statement
  }
}

const makeConnection = (file: string, prepare: (text: string) => StatementSync): Connection => {
  const rows = (text: string, params: ReadonlyArray<unknown>) =>
    Effect.try({ try: () => prepare(text).all(...params.map(inputOf)), catch: sqlError(file, "execute") })
  const values = (text: string, params: ReadonlyArray<unknown>) =>
    Effect.map(rows(text, params), (objects) => objects.map((row) => Object.values(row)))
  const execute: Connection["execute"] = (text, params, transform) =>
    transform === undefined ? rows(text, params) : Effect.map(rows(text, params), transform)
  return {
    execute,
    executeRaw: rows,
    executeValues: values,
    executeValuesUnprepared: values,
    executeUnprepared: execute,
    // all rows at once: an iterator that stays open keeps the log from shrinking
    executeStream: (text, params, transform) => Stream.fromIterableEffect(execute(text, params, transform))
  }
}

const isRead = (text: string) => /^\s*select\b/iu.test(text)

const make = Effect.fnUntraced(function* ({
  busyTimeout_ms = 5000,
  checkpointEvery_ms = 250,
  durable = "normal",
  file,
  logLimit = defaultLogLimit,
  longSnapshot_ms = 10_000
}: SqliteOptions) {
  const open = (readOnly: boolean) =>
    Effect.acquireRelease(
      Effect.try({
        try: () => {
          if (!readOnly) WriteAheadLog.recover(file, logLimit)
          const db = new DatabaseSync(file, { readOnly, timeout: busyTimeout_ms })
          if (readOnly) return db
          db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durable}; PRAGMA foreign_keys = ON`)
          // by default the cache has 2 MB, and the log keeps the size that it once had; more than 16 MB is the system's task
          db.exec(`PRAGMA cache_size = -16384; PRAGMA journal_size_limit = ${logLimit}`)
          return db
        },
        catch: sqlError(file, "open")
      }),
      (db) => Effect.sync(() => db.close())
    )
  const writing = yield* open(false)
  const prepareWrite = makePrepare(writing)
  const writer = makeConnection(file, prepareWrite)
  const prepareRead = makePrepare(yield* open(true))
  const reader = makeConnection(file, prepareRead)
  const { blockedBy, room, wake } = yield* WriteAheadLog.make(writing, {
    file,
    limit: logLimit,
    checkpointEvery_ms,
    longSnapshot_ms
  })

  const { acquirer: _, ...acquirers } = SqlClient.makeSqliteAcquirers({
    connection: Effect.map(room, () => {
      // the rollback of a group of commits may have failed
      if (writing.isOpen && writing.isTransaction) prepareWrite("ROLLBACK").run()
      return writer
    }),
    semaphore: Semaphore.makeUnsafe(1),
    isTransaction: () => writing.isTransaction
  })
  const borrower: Borrower = (use) => Effect.ensuring(acquirers.borrower(use), wake)
  const transactionAcquirer = Effect.tap(acquirers.transactionAcquirer, () => Effect.addFinalizer(() => wake))
  const one = { ...acquirers, borrower, transactionAcquirer }
  /** A read outside of transactions sees what is committed and never waits; all writes go one at a time. */
  const on = <A>(text: string, run: (connection: Connection) => Effect.Effect<A, SqlError>) =>
    isRead(text) ? run(reader) : one.borrower(run)
  const execute: Connection["execute"] = (text, params, transform) =>
    on(text, (connection) => connection.execute(text, params, transform))
  const executeValues: Connection["executeValues"] = (text, params) =>
    on(text, (connection) => connection.executeValues(text, params))
  const outside: Connection = {
    execute,
    executeRaw: (text, params) => on(text, (connection) => connection.executeRaw(text, params)),
    executeValues,
    executeValuesUnprepared: executeValues,
    executeUnprepared: execute,
    executeStream: (text, params, transform) => Stream.fromIterableEffect(execute(text, params, transform))
  }
  const client = yield* SqlClient.make({
    ...one,
    acquirer: Effect.succeed(outside),
    borrower: (use) => use(outside),
    compiler: Statement.makeCompilerSqlite(),
    driver: "node-sqlite",
    // a transaction that reads first and then writes must not find that another process wrote in between
    beginTransaction: "BEGIN IMMEDIATE",
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    prepareTransactionControls: true,
    spanAttributes: [["db.system.name", "sqlite"]]
  })
  const together = yield* GroupCommit.make({
    db: writing,
    prepare: prepareWrite,
    alone: (run) => one.borrower(() => run),
    toError: sqlError(file, "execute")
  })
  const foreignCommits = Effect.sync(() => {
    try {
      return Number(prepareWrite("PRAGMA data_version").get()?.["data_version"])
    } catch {
      return null
    }
  })
  const reading = { catch: sqlError(file, "read") }
  return Context.make(SqlClient.SqlClient, client).pipe(
    Context.add(GroupCommit.GroupCommit, together),
    Context.add(Reader, {
      get: (text, ...params) => Effect.try({ ...reading, try: () => prepareRead(text).get(...params) }),
      all: (text, ...params) => Effect.try({ ...reading, try: () => prepareRead(text).all(...params) })
    }),
    Context.add(WriteAheadLog.WriteAheadLog, { blockedBy }),
    Context.add(ForeignCommits, foreignCommits)
  )
})

/**
 * One SQLite file in this process: one connection writes, one transaction at a time, and one reads what is committed
 * meanwhile. Every statement is synchronous. A file that cannot be opened, read or written is a `ConnectionError`.
 */
export const layer = (options: SqliteOptions): Layer.Layer<SqlClient.SqlClient | Reader, SqlError> =>
  Layer.provide(Layer.effectContext(make(options)), Reactivity.layer)
