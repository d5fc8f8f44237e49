import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"

/** Maximum number of events that get their cursors together. */
const eventsAtOnce = 10_000

/** Returns the differences between SQLite and Postgres. */
export const dialectOf = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({
    pg: () => ({
      /** The statement that begins a transaction on one snapshot. */
      atOneMoment: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
      /** Skips rows that another node is changing, and locks the others. */
      skipLocked: sql.literal("FOR UPDATE SKIP LOCKED"),
      browsersOpen: sql.literal(""),
      /**
       * Gives cursors to events that have none, when they are read. The order in which overlapping commits become
       * visible is known only afterwards, and a lock around all commits would make each wait for the one before.
       */
      numbered: Effect.gen(function* () {
        if ((yield* sql`SELECT 1 FROM events WHERE cursor IS NULL LIMIT 1`).length === 0) return
        yield* sql.withTransaction(
          Effect.gen(function* () {
            // one reader at a time
            yield* sql`SELECT last FROM event_cursor FOR UPDATE`
            const numbered = yield* sql`UPDATE events SET cursor = last + place FROM event_cursor,
                (SELECT n, row_number() OVER (ORDER BY n) AS place FROM events WHERE cursor IS NULL
                  ORDER BY n LIMIT ${eventsAtOnce}) AS fresh
              WHERE events.n = fresh.n RETURNING 1`
            yield* sql`UPDATE event_cursor SET last = last + ${numbered.length}`
          })
        )
      })
    }),
    orElse: () => ({
      atOneMoment: undefined,
      skipLocked: sql.literal(""),
      browsersOpen: sql.literal("INDEXED BY browsers_open"),
      // commits run one at a time, so each event gets its cursor when it is stored
      numbered: Effect.void
    })
  })
