import type { Event, EventLog, StoredEvent } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { dialectOf } from "./Dialect.ts"
import { parsed } from "./Rows.ts"
import { read } from "./unavailable.ts"

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

/** Time to wait for a reader that gives cursors to events, and the number of times before reading without them. */
const wait = { for: "20 millis" as const, most: 100 }

/** Makes the reads of the event log. */
export const make = (sql: SqlClient.SqlClient): EventLog => {
  const { newestEvent, numbered } = dialectOf(sql)

  /** Reads after all events have their cursors. A page that is full needs no more of them. */
  const settled = Effect.fnUntraced(function* (page: Effect.Effect<Rows, SqlError>, limit: number) {
    for (let left = wait.most; ; left--) {
      const isSettled = yield* numbered
      const rows = yield* page
      if (isSettled || rows.length === limit || left === 0) return rows
      // the database uses real time
      yield* Effect.provideService(Effect.sleep(wait.for), Clock.Clock, Clock.Clock.defaultValue())
    }
  })

  const events = (page: Effect.Effect<Rows, SqlError>, limit: number) =>
    read(
      Effect.map(settled(page, limit), (rows) =>
        rows.map(({ cursor, record }): StoredEvent => ({ cursor: Number(cursor), event: parsed<Event>(record) }))
      )
    )

  const newest = Effect.map(settled(sql`${newestEvent}`, Infinity), ([row]) => Number(row?.["cursor"] ?? 0))

  return {
    eventsAfter: (after, limit) =>
      events(sql`SELECT cursor, record FROM events WHERE cursor > ${after} ORDER BY cursor LIMIT ${limit}`, limit),
    eventsOf: (turnId, after, limit) =>
      events(
        sql`SELECT cursor, record FROM events WHERE turn_id = ${turnId} AND cursor > ${after}
          ORDER BY cursor LIMIT ${limit}`,
        limit
      ),
    newestEvent: read(newest),
    // one statement: between two, events may get their cursors
    oldestEvent: read(
      Effect.map(
        settled(sql`SELECT coalesce((SELECT min(cursor) FROM events), (${newestEvent}) + 1, 1) AS cursor`, Infinity),
        ([row]) => Number(row?.["cursor"])
      )
    )
  }
}
