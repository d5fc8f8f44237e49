import { type Delivery, type NewDelivery, refusedError, type Webhook } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { parsed } from "./Rows.ts"

export type Row = Readonly<Record<string, unknown>>
export const hookOf = (row: Row): Webhook => parsed(row["record"])

export const timeOf = (value: unknown) => (value === null ? null : Number(value))

/** The times are the database's, so the record doesn't have them. */
export const deliveryOf = (row: Row): Delivery => ({
  ...parsed<Delivery>(row["record"]),
  attempts: Number(row["attempts"]),
  nextAt_ms: timeOf(row["next_at_ms"]),
  finishedAt_ms: timeOf(row["finished_at_ms"])
})

export const rowOf = (delivery: NewDelivery, id: string, isRefused: boolean, now_ms: number) => ({
  id,
  hook: delivery.hookId,
  owner: delivery.owner,
  subject: delivery.subject,
  once: delivery.once,
  attempts: 0,
  next_at_ms: isRefused ? null : now_ms,
  finished_at_ms: isRefused ? now_ms : null,
  record: JSON.stringify({
    ...delivery,
    id,
    messageId: delivery.messageId ?? `msg_${id}`,
    status: isRefused ? "refused" : "queued",
    response: null,
    error: isRefused ? refusedError : null
  })
})

/** Makes the reads that both owners and senders of messages need. */
export const make = (sql: SqlClient.SqlClient, now: Effect.Effect<Fragment>) => ({
  /** Has the deletion of a webhook wait. SQLite runs one commit at a time anyway. */
  forUse: sql.onDialectOrElse({ pg: () => sql.literal("FOR KEY SHARE"), orElse: () => sql.literal("") }),
  /** Number of a webhook's waiting messages. */
  countQueued: (hookId: string) =>
    Effect.map(
      sql<Row>`SELECT count(*) AS count FROM webhook_deliveries WHERE finished_at_ms IS NULL AND hook = ${hookId}`,
      ([row]) => Number(row?.["count"])
    ),
  /** The time of the database as a number, for rows of one statement. */
  time: Effect.flatMap(now, (now_ms) =>
    Effect.map(sql<Row>`SELECT ${now_ms} AS now_ms`, ([row]) => Number(row?.["now_ms"]))
  )
})

/** The reads that both owners and senders of messages need. */
export type WebhookReads = ReturnType<typeof make>
