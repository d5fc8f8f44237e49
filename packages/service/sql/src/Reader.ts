import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"

/** A row by its columns; undefined where there is none. */
export type Row = Readonly<Record<string, unknown>> | undefined

/**
 * Reads committed rows with a prepared statement, which costs less than effect/sql: for polls, the most frequent
 * requests, and for the decision of each step. `get` is the first row; `?` stands for each value.
 */
export class Reader extends Context.Service<
  Reader,
  {
    readonly get: (text: string, ...values: ReadonlyArray<string | number | Uint8Array>) => Effect.Effect<Row, SqlError>
    readonly all: (
      text: string,
      ...values: ReadonlyArray<string | number | Uint8Array>
    ) => Effect.Effect<ReadonlyArray<NonNullable<Row>>, SqlError>
  }
>()("@webagent/sql/Reader") {}
