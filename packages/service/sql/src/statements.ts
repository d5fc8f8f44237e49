import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"

/** Returns whether a statement with RETURNING changed a row. */
export const changed = Effect.map((rows: ReadonlyArray<unknown>) => rows.length === 1)

/** Returns the ids of a query's rows. */
export const ids = (rows: Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>, SqlError>) =>
  Effect.map(rows, (records) => records.map(({ id }) => String(id)))

/** Returns the text of a statement as Postgres numbers its values. */
export const numbered = (text: string): string => {
  let place = 0
  return text.replaceAll("?", () => `$${++place}`)
}
