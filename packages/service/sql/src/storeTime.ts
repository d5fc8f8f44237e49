import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"

/** The time of the database, not of the node that asks, in milliseconds. */
export const storeTime = (sql: SqlClient.SqlClient, clock: Clock.Clock) =>
  sql.onDialectOrElse({
    pg: () => Effect.succeed(sql.literal("(extract(epoch FROM clock_timestamp()) * 1000)::bigint")),
    orElse: () => Effect.sync(() => sql.literal(String(clock.currentTimeMillisUnsafe())))
  })
