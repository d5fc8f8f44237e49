import {
  deliveriesFull,
  IdSource,
  makeWebhook,
  Owner,
  rotation,
  type Webhook,
  webhookLimits,
  WebhookNotFound,
  Webhooks,
  webhooksFull,
  type WebhooksService
} from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { inBatches } from "./inBatches.ts"
import * as OwnedRows from "./OwnedRows.ts"
import { storeTime } from "./storeTime.ts"
import { read, transaction } from "./unavailable.ts"
import { isStorable } from "./WorkspaceRows.ts"
import { deliveryOf, hookOf, make as makeReads, type Row, rowOf } from "./WebhookRows.ts"
import * as SqlWebhookQueue from "./SqlWebhookQueue.ts"

const keepNothing = () => Effect.void

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const scope = yield* Effect.scope
  const ids = yield* IdSource
  const now = storeTime(sql, yield* Clock.Clock)
  const reads = makeReads(sql, now)
  const { countQueued, forUse, time } = reads
  const owned = OwnedRows.make(sql, "webhooks")
  const { forChange, seenBy } = owned

  /** Reads a webhook of the caller. */
  const hookRow = Effect.fnUntraced(function* (id: string, lock = sql.literal("")) {
    const owner = yield* Owner
    const [row] = isStorable(id)
      ? yield* sql<Row>`SELECT record FROM webhooks WHERE id = ${id} AND ${seenBy(owner)} ${lock}`
      : []
    return row === undefined ? yield* new WebhookNotFound({ id }) : hookOf(row)
  })

  const find = (id: string) => read(hookRow(id))

  const deliveriesOf = (rows: Effect.Effect<ReadonlyArray<Row>, SqlError>) =>
    read(Effect.map(rows, (records) => records.map(deliveryOf)))

  /** Deletes the sent messages of a deleted webhook. If this process stops meanwhile, retention deletes the others. */
  const forget = (hookId: string) =>
    Effect.ignore(
      inBatches((limit) =>
        Effect.map(
          sql`DELETE FROM webhook_deliveries WHERE n IN (
            SELECT n FROM webhook_deliveries WHERE hook = ${hookId} ORDER BY n LIMIT ${limit}) RETURNING 1`,
          ({ length }) => length
        )
      )
    )

  const change = <E>(
    id: string,
    changes: (stored: Webhook, now_ms: number) => Partial<Webhook>,
    keep: (webhook: Webhook, at_ms: number) => Effect.Effect<void, E>
  ) =>
    transaction(
      sql,
      Effect.gen(function* () {
        const stored = yield* hookRow(id, forChange)
        const now_ms = yield* Clock.currentTimeMillis
        const updatedAt_ms = Math.max(now_ms, stored.updatedAt_ms)
        const webhook: Webhook = { ...stored, ...changes(stored, now_ms), updatedAt_ms }
        yield* sql`UPDATE webhooks SET active = ${webhook.isActive ? 1 : 0}, record = ${JSON.stringify(webhook)}
          WHERE id = ${id}`
        yield* keep(webhook, now_ms)
        return webhook
      })
    )

  const webhooks: WebhooksService = {
    create: Effect.fnUntraced(function* (fields, after, keep) {
      const owner = yield* Owner
      const now_ms = yield* Clock.currentTimeMillis
      const webhook = makeWebhook(yield* ids.next("webhook"), owner, { ...fields, after }, now_ms)
      const row = { id: webhook.id, owner, active: 1, record: JSON.stringify(webhook) }
      const insert = Effect.as(sql`INSERT INTO webhooks ${sql.insert(row)}`, webhook)
      return yield* owned.create({ owner, most: webhookLimits.webhooks, full: webhooksFull, insert, keep })
    }),
    find,
    list: Effect.flatMap(Owner, (owner) =>
      read(
        Effect.map(sql<Row>`SELECT record FROM webhooks WHERE ${seenBy(owner)} ORDER BY n`, (rows) => rows.map(hookOf))
      )
    ),
    update: (id, changes) => change(id, () => changes, keepNothing),
    rotate: (id, previousFor_ms, keep = keepNothing) =>
      change(id, (stored, now_ms) => rotation(stored, now_ms, previousFor_ms), keep),
    remove: (id) =>
      transaction(
        sql,
        Effect.gen(function* () {
          yield* hookRow(id, forChange)
          yield* sql`DELETE FROM webhooks WHERE id = ${id}`
          // the number of waiting messages is limited
          yield* sql`DELETE FROM webhook_deliveries WHERE hook = ${id} AND finished_at_ms IS NULL`
        })
      ).pipe(Effect.andThen(Effect.forkIn(forget(id), scope)), Effect.asVoid),
    deliveries: (hookId, before, limit) =>
      Effect.andThen(
        find(hookId),
        deliveriesOf(
          sql<Row>`SELECT * FROM webhook_deliveries WHERE hook = ${hookId} ${
            before === null
              ? sql``
              : sql`AND n < (SELECT n FROM webhook_deliveries WHERE hook = ${hookId} AND id = ${before})`
          } ORDER BY n DESC LIMIT ${limit}`
        )
      ),
    delivery: Effect.fnUntraced(function* (hookId, id) {
      yield* find(hookId)
      const rows = isStorable(id)
        ? yield* deliveriesOf(sql<Row>`SELECT * FROM webhook_deliveries WHERE hook = ${hookId} AND id = ${id}`)
        : []
      return rows[0] ?? (yield* new WebhookNotFound({ id }))
    }),
    enqueue: (delivery) =>
      transaction(
        sql,
        Effect.gen(function* () {
          yield* hookRow(delivery.hookId, forUse)
          if ((yield* countQueued(delivery.hookId)) >= webhookLimits.queued) return yield* deliveriesFull()
          const row = rowOf(delivery, yield* ids.next("delivery"), false, yield* time)
          yield* sql`INSERT INTO webhook_deliveries ${sql.insert(row)}`
          return deliveryOf(row)
        })
      ),

    ...SqlWebhookQueue.make(sql, ids, now, reads)
  }
  return webhooks
})

/** Webhooks and their messages in a database. */
export const layer: Layer.Layer<never, never, SqlClient.SqlClient | IdSource> = Layer.effect(Webhooks, make)
