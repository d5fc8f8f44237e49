import { type IdSource, type NewDelivery, webhookLimits, type WebhookQueue } from "@webagent/engine"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { dialectOf } from "./Dialect.ts"
import { inBatches } from "./inBatches.ts"
import { read, transaction, unavailable } from "./unavailable.ts"
import { deliveryOf, hookOf, type Row, rowOf, timeOf, type WebhookReads } from "./WebhookRows.ts"

/** Number of messages that one statement stores. */
const batch = 50

/** Makes the queue of messages. */
export const make = (
  sql: SqlClient.SqlClient,
  ids: IdSource["Service"],
  now: Effect.Effect<Fragment>,
  { countQueued, forUse, time }: WebhookReads
): WebhookQueue => {
  const { skipLocked } = dialectOf(sql)
  /** Has other senders pass over the row. SQLite runs one commit at a time anyway. */
  const takeLocked = sql.onDialectOrElse({
    pg: () => sql.literal("FOR NO KEY UPDATE SKIP LOCKED"),
    orElse: () => sql.literal("")
  })

  /** Inserts one webhook's messages; those above its limit are refused. */
  const insert = Effect.fnUntraced(function* (hookId: string, deliveries: ReadonlyArray<NewDelivery>) {
    const room = webhookLimits.queued - (yield* countQueued(hookId))
    const now_ms = yield* time
    const rows = yield* Effect.forEach(deliveries, (delivery, index) =>
      Effect.map(ids.next("delivery"), (id) => rowOf(delivery, id, index >= room, now_ms))
    )
    for (const some of Arr.chunksOf(rows, batch)) {
      yield* sql`INSERT INTO webhook_deliveries ${sql.insert(some)} ON CONFLICT DO NOTHING`
    }
  })

  const advance = Effect.fnUntraced(function* (from: number, to: number, deliveries: ReadonlyArray<NewDelivery>) {
    // another node that is at the same events waits here, and then finds another position
    const moved = yield* sql`UPDATE webhook_position SET cursor = ${to} WHERE cursor = ${from} RETURNING 1`
    if (moved.length === 0) return false
    if (deliveries.length === 0) return true
    const byHook = Map.groupBy(deliveries, ({ hookId }) => hookId)
    const rows = yield* sql<Row>`SELECT id FROM webhooks
      WHERE ${sql.in("id", [...byHook.keys()])} ORDER BY id ${forUse}`
    for (const { id } of rows) yield* insert(String(id), byHook.get(String(id)) ?? [])
    return true
  })

  /** True of a message whose turn it is: no older one with its subject waits. */
  const isFirst = sql.literal(`NOT EXISTS (SELECT 1 FROM webhook_deliveries AS earlier WHERE earlier.hook = due.hook
    AND earlier.subject = due.subject AND earlier.finished_at_ms IS NULL AND earlier.n < due.n)`)

  return {
    active: read(
      Effect.map(sql<Row>`SELECT record FROM webhooks WHERE active = 1 ORDER BY n`, (rows) => rows.map(hookOf))
    ),
    position: read(Effect.map(sql<Row>`SELECT cursor FROM webhook_position`, ([row]) => Number(row?.["cursor"] ?? 0))),
    advance: (from, to, deliveries) => transaction(sql, advance(from, to, deliveries)),
    take: Effect.fnUntraced(function* (lease_ms, limit, sending) {
      const now_ms = yield* now
      const full = [...sending].flatMap(([id, count]) => (count < limit ? [] : [id]))
      const isFree = full.length === 0 ? sql`active = 1` : sql`active = 1 AND NOT ${sql.in("id", full)}`
      const isDue = sql`due.finished_at_ms IS NULL AND due.next_at_ms <= ${now_ms} AND ${isFirst}`
      const [row] = yield* sql<Row>`UPDATE webhooks SET taken_at_ms = ${now_ms} WHERE n = (
        SELECT n FROM webhooks WHERE ${isFree} AND EXISTS (
          SELECT 1 FROM webhook_deliveries AS due WHERE due.hook = webhooks.id AND ${isDue})
        ORDER BY taken_at_ms, n LIMIT 1 ${takeLocked}) RETURNING id, record`
      if (row === undefined) return null
      const webhook = hookOf(row)
      // none if another sender was at the same webhook, and took them first
      const taken = yield* sql<Row>`WITH taken AS MATERIALIZED (
        SELECT n FROM webhook_deliveries AS due WHERE due.hook = ${webhook.id} AND ${isDue}
        ORDER BY n LIMIT ${limit - (sending.get(webhook.id) ?? 0)} ${takeLocked})
        UPDATE webhook_deliveries SET next_at_ms = ${now_ms} + ${lease_ms} WHERE n IN (SELECT n FROM taken) RETURNING *`
      const inOrder = taken.toSorted((left, right) => Number(left["n"]) - Number(right["n"]))
      return { webhook, deliveries: inOrder.map(deliveryOf) }
    }, Effect.mapError(unavailable)),
    record: (delivery, { error, response, status, wait_ms }) =>
      Effect.flatMap(now, (now_ms) => {
        const { attempts, finishedAt_ms: _, id, nextAt_ms: __, ...rest } = delivery
        const times =
          status === "queued"
            ? sql`next_at_ms = ${now_ms} + ${wait_ms}`
            : sql`next_at_ms = NULL, finished_at_ms = ${now_ms}`
        return sql`UPDATE webhook_deliveries SET attempts = ${attempts + 1}, ${times},
            record = ${JSON.stringify({ ...rest, id, status, response, error })}
          WHERE id = ${id} AND attempts = ${attempts} AND finished_at_ms IS NULL`
      }).pipe(Effect.mapError(unavailable), Effect.asVoid),
    // a later lease of the message ends at a later time
    release: ({ attempts, id, nextAt_ms }) =>
      Effect.flatMap(
        now,
        (now_ms) => sql`UPDATE webhook_deliveries SET next_at_ms = ${now_ms}
          WHERE id = ${id} AND attempts = ${attempts} AND next_at_ms = ${nextAt_ms} AND finished_at_ms IS NULL`
      ).pipe(Effect.mapError(unavailable), Effect.asVoid),
    nextIn: read(
      Effect.flatMap(now, (now_ms) =>
        Effect.map(
          sql<Row>`SELECT min(next_at_ms) - ${now_ms} AS wait_ms FROM webhook_deliveries
            WHERE finished_at_ms IS NULL AND hook IN (SELECT id FROM webhooks WHERE active = 1)`,
          ([row]) => {
            const wait_ms = timeOf(row?.["wait_ms"] ?? null)
            return wait_ms === null ? null : Math.max(0, wait_ms)
          }
        )
      )
    ),
    prune: (until_ms, most) =>
      inBatches(
        (limit) =>
          Effect.map(
            sql`DELETE FROM webhook_deliveries WHERE n IN (SELECT n FROM webhook_deliveries
              WHERE finished_at_ms <= ${until_ms} ORDER BY finished_at_ms LIMIT ${limit} ${skipLocked}) RETURNING 1`,
            ({ length }) => length
          ),
        most
      ).pipe(Effect.mapError(unavailable))
  }
}
