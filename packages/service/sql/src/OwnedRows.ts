import type { Keep, NoRoom } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { transaction } from "./unavailable.ts"

interface CreateOptions<A> {
  readonly owner: string | null
  /** The most rows of one owner. */
  readonly most: number
  readonly full: () => NoRoom
  readonly insert: Effect.Effect<A, SqlError>
  readonly keep: Keep<A> | undefined
}

/** Makes the statements of a table whose rows have owners. */
export const make = (sql: SqlClient.SqlClient, table: string) => {
  const ownedBy = (owner: string | null) => (owner === null ? sql`owner IS NULL` : sql`owner = ${owner}`)
  return {
    ownedBy,
    seenBy: (owner: string | null) => (owner === null ? sql`1 = 1` : sql`owner = ${owner}`),
    /** Has other changes of a row wait. SQLite runs one commit at a time anyway. */
    forChange: sql.onDialectOrElse({ pg: () => sql.literal("FOR UPDATE"), orElse: () => sql.literal("") }),
    /**
     * Inserts a row in one transaction. Creates of one owner run one after the other, so that they can't exceed the
     * limit together.
     */
    create: <A extends { readonly createdAt_ms: number }>({ full, insert, keep, most, owner }: CreateOptions<A>) =>
      transaction(
        sql,
        Effect.gen(function* () {
          yield* sql.onDialectOrElse({
            pg: () => sql`SELECT pg_advisory_xact_lock(hashtext(${`${table} of ${owner ?? ""}`}))`,
            orElse: () => Effect.void
          })
          const made = yield* insert
          // before the limit: a repeat of the create that used the last place isn't refused
          if (keep !== undefined) yield* keep(made, made.createdAt_ms)
          const [row] = yield* sql`SELECT count(*) AS count FROM ${sql(table)} WHERE ${ownedBy(owner)}`
          return Number(row?.["count"]) > most ? yield* full() : made
        })
      )
  }
}
