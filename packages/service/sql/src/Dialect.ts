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
      // a form that the index of open turns doesn't have: Postgres would read the open turns of all sessions with it
      openOfSession: "coalesce(ended_at_ms, -1) < 0",
      /**
       * Gives cursors to events that have none, when they are read. The order in which overlapping commits become
       * visible is known only afterwards, and a lock around all commits would make each wait for the one before. False
       * if some may still have none, because another reader is at it or because there are many.
       */
      numbered: Effect.gen(function* () {
        if ((yield* sql`SELECT 1 FROM events WHERE cursor IS NULL LIMIT 1`).length === 0) return true
        return yield* sql.withTransaction(
          Effect.gen(function* () {
            // one reader at a time; the others come again instead of queueing for the row
            if ((yield* sql`SELECT last FROM event_cursor FOR UPDATE SKIP LOCKED`).length === 0) return false
            const numbered = yield* sql`UPDATE events SET cursor = last + place FROM event_cursor,
                (SELECT n, row_number() OVER (ORDER BY n) AS place FROM events WHERE cursor IS NULL
                  ORDER BY n LIMIT ${eventsAtOnce}) AS fresh
              WHERE events.n = fresh.n RETURNING 1`
            yield* sql`UPDATE event_cursor SET last = last + ${numbered.length}`
            return numbered.length < eventsAtOnce
          })
        )
      }),
      newestEvent: sql.literal("SELECT last AS cursor FROM event_cursor")
    }),
    orElse: () => ({
      atOneMoment: undefined,
      skipLocked: sql.literal(""),
      browsersOpen: sql.literal("INDEXED BY browsers_open"),
      openOfSession: "ended_at_ms IS NULL",
      // commits run one at a time, so each event gets its cursor when it is stored
      numbered: Effect.succeed(true),
      newestEvent: sql.literal("SELECT seq AS cursor FROM sqlite_sequence WHERE name = 'events'")
    })
  })
