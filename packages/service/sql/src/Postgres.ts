import type { PgConnection, Result as PgResult } from "@effect/sql-pg/PgConnection"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { ConnectionError, SqlError, UnknownError, isSqlError } from "effect/sql/SqlError"
import { DatabaseError } from "./DatabaseError.ts"
import { Reader } from "./Reader.ts"
import { numbered } from "./statements.ts"

/** Address of the database, and limits for one process. */
export interface PostgresOptions {
  /** Such as `postgres://user:password@host:5432/name?sslmode=require`. */
  readonly url: Redacted.Redacted
  /** Maximum number of open connections; 10 by default. */
  readonly connections?: number
  /** For how long it waits for a statement or a transaction, in milliseconds; 6000 unless given. */
  readonly patience_ms?: number
}

/**
 * Timeouts that Postgres enforces: transactions of a silent node, such as a frozen one, so that it holds no lock for
 * long; statements that wait for such a lock; connections to a node whose machine is gone, and to one that has read no
 * data for long, because messages for it would be stored forever, and its transaction would hold its locks.
 */
const limits = {
  idle_in_transaction_session_timeout: "3s",
  statement_timeout: "5s",
  tcp_keepalives_idle: "10",
  tcp_keepalives_interval: "5",
  tcp_keepalives_count: "3",
  tcp_user_timeout: "30s"
}

/** Options of every connection. */
export const connectionOptions = {
  applicationName: "webagent-server",
  startupParameters: limits,
  keepAlive: "10 seconds"
} as const

/** The client of the database, an optional dependency. */
export const driver = Effect.tryPromise({
  try: async () => ({
    PgClient: await import("@effect/sql-pg/PgClient"),
    PgConnection: await import("@effect/sql-pg/PgConnection"),
    PgPool: await import("@effect/sql-pg/PgPool"),
    PgTypes: await import("@effect/sql-pg/PgTypes")
  }),
  catch: () =>
    new DatabaseError({
      database: "postgres",
      message: "A Postgres database needs the package @effect/sql-pg. Run: npm install @effect/sql-pg@4.0.5"
    })
})

const silent = (patience_ms: number) =>
  new SqlError({
    reason: new ConnectionError({
      cause: undefined,
      message: `Postgres did not respond for ${patience_ms / 1000} s`,
      operation: "query"
    })
  })

/** The real clock, also in tests that set another one: the database uses real time. */
const live = Clock.Clock.defaultValue()

/** Waits for an answer no longer than this. What is given up ends in the background, which may take as long again. */
const within =
  (patience_ms: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkDetach(effect, { startImmediately: true })
        const answered = restore(Effect.timeoutOption(Fiber.await(fiber), patience_ms))
        const exit = yield* answered.pipe(
          // a caller that interrupts waits for the outcome, but not long
          Effect.onInterrupt(() => Effect.timeoutOption(Fiber.interrupt(fiber), "1 second")),
          Effect.provideService(Clock.Clock, live)
        )
        if (Option.isSome(exit)) return yield* exit.value
        fiber.interruptUnsafe()
        return yield* silent(patience_ms)
      })
    )

/**
 * A rollback over a lost connection dies like a defect of the program, and turns the failure that it was for into another
 * defect. Here the lost connection is the failure.
 */
const orFail = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
  Effect.catchCause(effect, (cause): Effect.Effect<never, E | SqlError> => {
    const lost = cause.reasons.filter(Cause.isDieReason).find(({ defect }) => isSqlError(defect))
    return lost === undefined ? Effect.failCause(cause) : Effect.fail(lost.defect as SqlError)
  })

type Patient = ReturnType<typeof within>

/** Cannot be interrupted: without a limit of their own they would keep a connection for as long as nothing answers. */
const isControl = (text: string) => /^(?:BEGIN|COMMIT|ROLLBACK)\b/u.test(text)

const connectionOf =
  (patient: Patient) =>
  (connection: PgConnection): Connection => {
    const query = (text: string, values: ReadonlyArray<unknown>, prepare?: boolean) =>
      isControl(text) ? patient(connection.query(text, values, prepare)) : connection.query(text, values, prepare)
    const rows =
      (prepare?: boolean): Connection["execute"] =>
      (text, values, transform) =>
        Effect.map(query(text, values, prepare), ({ rows }) => (transform === undefined ? rows : transform(rows)))
    return {
      execute: rows(),
      executeUnprepared: rows(false),
      executeRaw: query,
      executeValues: connection.queryValues,
      executeValuesUnprepared: (text, values) => connection.queryValues(text, values, false),
      executeStream: (text, values) => connection.stream(text, values)
    }
  }

/** Postgres answers the commit of an aborted transaction with a rollback and without an error. */
const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []) as Effect.Effect<PgResult, SqlError>, ({ command }) => {
    if (command !== "ROLLBACK") return Effect.void
    const message = "Postgres rolled the transaction back"
    return new SqlError({ reason: new UnknownError({ cause: new Error(message), message, operation: "commit" }) })
  })

const make = Effect.fnUntraced(function* ({ connections = 10, patience_ms = 6000, url }: PostgresOptions) {
  const { PgClient, PgPool, PgTypes } = yield* driver
  const types = PgTypes.makeRegistry()
  // times and counts: all of them are safe integers
  types.register(PgTypes.OID.int8, {
    encode: (value) => PgTypes.encode(value, PgTypes.OID.int8),
    decode: (bytes) => Result.map(PgTypes.decode(bytes, PgTypes.OID.int8, 1), Number)
  })
  const pool = yield* PgPool.make({ ...connectionOptions, url, types, maxConnections: connections })
  const patient = within(patience_ms)
  const connected = connectionOf(patient)
  const client = yield* SqlClient.make({
    acquirer: Effect.map(pool.get, connected),
    borrower: (use) => patient(pool.use((connection) => use(connected(connection)))),
    transactionAcquirer: Effect.map(pool.reserve, connected),
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "postgresql"]]
  })
  const { withTransaction } = client
  const sql: SqlClient.SqlClient = Object.assign(client, {
    withTransaction: <A, E, R>(effect: Effect.Effect<A, E, R>) => orFail(patient(withTransaction(effect)))
  })
  const texts = new Map<string, string>()
  const all: Reader["Service"]["all"] = (text, ...values) => {
    // Postgres stores no text with this character, so no row matches
    if (values.some((value) => typeof value === "string" && value.includes("\0"))) return Effect.succeed([])
    const numberedText = texts.get(text) ?? numbered(text)
    texts.set(text, numberedText)
    return patient(
      Effect.map(
        pool.use((connection) => connection.query(numberedText, values)),
        ({ rows }) => rows
      )
    )
  }
  const get: Reader["Service"]["get"] = (text, ...values) => Effect.map(all(text, ...values), ([row]) => row)
  return Context.make(SqlClient.SqlClient, sql).pipe(Context.add(Reader, { all, get }))
})

/**
 * A Postgres database: at READ COMMITTED, by a few connections. A database that does not answer, or not in time, is a
 * `ConnectionError`.
 */
export const layer = (options: PostgresOptions): Layer.Layer<SqlClient.SqlClient | Reader, SqlError | DatabaseError> =>
  Layer.effectContext(make(options)).pipe(Layer.provide([Reactivity.layer, Layer.succeed(Clock.Clock, live)]))
