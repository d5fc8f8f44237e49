import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"

/** A row by its columns; undefined where there is none. */
export type Row = Readonly<Record<string, unknown>> | undefined

/**
 * Reads of what is committed, without what a statement of effect/sql costs: for the reads that are most of all requests.
 * `get` is the first row; `?` stands for each value.
 */
export class Reader extends Context.Service<
  Reader,
  {
    readonly get: (text: string, ...values: ReadonlyArray<string | number | Uint8Array>) => Effect.Effect<Row, SqlError>
  }
>()("@webagent/sql/Reader") {}
