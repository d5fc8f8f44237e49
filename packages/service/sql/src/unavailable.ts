import { StoreUnavailable } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"

/** What is written by now may be there or not only where the disk failed while SQLite committed (SQLITE_IOERR). */
const ioError = 10

/** The error of a write. */
export const unavailable = (cause: SqlError): StoreUnavailable => {
  const { errcode = 0 } = (cause.reason.cause ?? {}) as { readonly errcode?: number }
  return new StoreUnavailable({ applied: (errcode & 0xff) === ioError ? "unknown" : "no", cause })
}

/** A read: it changes nothing. */
export const read = <A>(effect: Effect.Effect<A, SqlError>): Effect.Effect<A, StoreUnavailable> =>
  Effect.mapError(effect, (cause) => new StoreUnavailable({ applied: "no", cause }))
