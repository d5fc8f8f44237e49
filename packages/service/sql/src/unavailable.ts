import { StoreUnavailable } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

/** SQLITE_IOERR: the disk failed while SQLite committed. */
const ioError = 10

/** The fields of both databases' errors. */
interface CauseOf {
  /** Of SQLite. */
  readonly errcode?: number
  /** Of Postgres, with each error that it answers with. */
  readonly severity?: string
}

/** True if a statement that failed with this error may have been executed. */
const mayBeThere = ({ reason }: SqlError): boolean => {
  const { errcode = 0, severity } = (reason.cause ?? {}) as CauseOf
  // Postgres got the statement and did not answer, or is shutting down
  if (reason.operation === "query") return severity === undefined || severity === "FATAL"
  return (errcode & 0xff) === ioError
}

/** The error of a write that is one statement. */
export const unavailable = (cause: SqlError): StoreUnavailable =>
  new StoreUnavailable({ applied: mayBeThere(cause) ? "unknown" : "no", cause })

/** The error of a write that was not executed. */
export const never = (cause: SqlError) => new StoreUnavailable({ applied: "no", cause })

/** Runs a read, whose failure changed nothing. */
export const read = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError, R>
): Effect.Effect<A, Exclude<E, SqlError> | StoreUnavailable, R> =>
  Effect.mapError(effect, (error) => (isSqlError(error) ? never(error) : (error as Exclude<E, SqlError>)))

/** Runs a transaction. A failure before its commit stored nothing. */
export const transaction = <A, E, R>(
  sql: SqlClient.SqlClient,
  body: Effect.Effect<A, E | SqlError, R>
): Effect.Effect<A, Exclude<E, SqlError> | StoreUnavailable, R> =>
  Effect.suspend(() => {
    let commits = false
    const committing = Effect.tap(body, () => Effect.sync(() => void (commits = true)))
    return Effect.mapError(sql.withTransaction(committing), (error) =>
      isSqlError(error) ? (commits ? unavailable(error) : never(error)) : (error as Exclude<E, SqlError>)
    )
  })
