import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"

/** Returns whether a statement with RETURNING changed a row. */
export const changed = Effect.map((rows: ReadonlyArray<unknown>) => rows.length === 1)

/** Returns the ids of a query's rows. */
export const ids = (rows: Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>, SqlError>) =>
  Effect.map(rows, (records) => records.map(({ id }) => String(id)))
