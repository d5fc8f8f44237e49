import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** The time of the database, not of the node that asks, in milliseconds. */
export const storeTime = (sql: SqlClient.SqlClient, clock: Clock.Clock): Effect.Effect<Fragment> =>
  sql.onDialectOrElse({
    pg: () => Effect.succeed(sql.literal("(extract(epoch FROM clock_timestamp()) * 1000)::bigint")),
    // a parameter, because each text is a statement to prepare
    orElse: () => Effect.sync(() => sql`${clock.currentTimeMillisUnsafe()}`)
  })
