import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Delivery, makeWebhook, rotation, type Webhook } from "./domain/Webhook.ts"
import { freshId } from "./freshIds.ts"
import * as MemoryDeliveries from "./MemoryDeliveries.ts"
import * as MemoryOwned from "./MemoryOwned.ts"
import { IdSource } from "./ports/IdSource.ts"
import {
  deliveriesFull,
  webhookLimits,
  WebhookNotFound,
  type WebhookQueue,
  Webhooks,
  webhooksFull,
  type WebhooksService
} from "./ports/Webhooks.ts"

/** Maximum number of finished messages that are kept. */
const mostFinished = 5000

/** Records that the operations of owners and of senders share. */
interface Shared {
  readonly hooks: Map<string, Webhook>
  readonly deliveries: MemoryDeliveries.MemoryDeliveries
  readonly newId: Effect.Effect<string>
  readonly isFull: (hookId: string) => boolean
}

/** Makes the queue of messages. */
const makeQueue = ({ deliveries, hooks, isFull, newId }: Shared): WebhookQueue => {
  /** The time when messages of a webhook were last taken. */
  const takenAt_ms = new Map<string, number>()
  let position = 0

  /** The due messages of a webhook whose turn it is. */
  const dueOf = (hookId: string, now_ms: number): ReadonlyArray<Delivery> =>
    deliveries.heads(hookId).filter(({ nextAt_ms }) => (nextAt_ms ?? 0) <= now_ms)

  return {
    active: Effect.sync(() => [...hooks.values()].filter(({ isActive }) => isActive)),
    position: Effect.sync(() => position),
    advance: Effect.fnUntraced(function* (from, to, added) {
      const now_ms = yield* Clock.currentTimeMillis
      if (position !== from) return false
      position = to
      for (const delivery of added) {
        const { hookId } = delivery
        const id = yield* newId
        if (hooks.has(hookId)) deliveries.add(delivery, id, now_ms, isFull(hookId))
      }
      deliveries.prune(Infinity, deliveries.countFinished() - mostFinished)
      return true
    }),
    take: (lease_ms, limit, sending) =>
      Effect.map(Clock.currentTimeMillis, (now_ms) => {
        const line = [...hooks.values()]
          .filter(({ isActive }) => isActive)
          .toSorted((left, right) => (takenAt_ms.get(left.id) ?? 0) - (takenAt_ms.get(right.id) ?? 0))
        for (const webhook of line) {
          const room = Math.max(0, limit - (sending.get(webhook.id) ?? 0))
          const due = dueOf(webhook.id, now_ms).slice(0, room)
          if (due.length === 0) continue
          takenAt_ms.set(webhook.id, now_ms)
          const taken = due.map((delivery) => ({ ...delivery, nextAt_ms: now_ms + lease_ms }))
          taken.forEach(deliveries.put)
          return { webhook, deliveries: taken }
        }
        return null
      }),
    record: ({ attempts, hookId, id }, { error, response, status, wait_ms }) =>
      Effect.map(Clock.currentTimeMillis, (now_ms) => {
        const stored = deliveries.find(hookId, id)
        if (stored?.status !== "queued" || stored.attempts !== attempts) return
        const isOver = status !== "queued"
        deliveries.put({
          ...stored,
          status,
          attempts: attempts + 1,
          nextAt_ms: isOver ? null : now_ms + wait_ms,
          finishedAt_ms: isOver ? now_ms : null,
          response,
          error
        })
      }),
    release: ({ attempts, hookId, id, nextAt_ms }) =>
      Effect.map(Clock.currentTimeMillis, (now_ms) => {
        const stored = deliveries.find(hookId, id)
        if (stored?.status !== "queued" || stored.attempts !== attempts || stored.nextAt_ms !== nextAt_ms) return
        deliveries.put({ ...stored, nextAt_ms: now_ms })
      }),
    nextIn: Effect.map(Clock.currentTimeMillis, (now_ms) => {
      const times = [...hooks.values()].flatMap(({ id, isActive }) =>
        isActive ? deliveries.heads(id).map(({ nextAt_ms }) => nextAt_ms ?? 0) : []
      )
      return times.length === 0 ? null : Math.max(0, Math.min(...times) - now_ms)
    }),
    prune: (until_ms, limit) => Effect.sync(() => deliveries.prune(until_ms, limit))
  }
}

/** Keeps webhooks and their messages in memory, none at the start. */
export const make = Effect.gen(function* () {
  const ids = yield* IdSource
  const owned = MemoryOwned.make<Webhook, WebhookNotFound>({
    ids,
    kind: "webhook",
    most: webhookLimits.webhooks,
    full: webhooksFull,
    missing: (id) => new WebhookNotFound({ id })
  })
  const { find, stored: hooks } = owned
  const deliveries = MemoryDeliveries.make()

  const isFull = (hookId: string) => deliveries.countWaiting(hookId) >= webhookLimits.queued

  const newId = freshId(ids, "delivery", (id) => deliveries.has(id))

  const webhooks: WebhooksService = {
    create: (fields, after, keep) =>
      owned.create((id, owner, at_ms) => makeWebhook(id, owner, { ...fields, after }, at_ms), keep),
    find,
    list: owned.list,
    update: (id, changes) => owned.change(id, (updatedAt_ms) => ({ ...changes, updatedAt_ms })),
    rotate: Effect.fnUntraced(function* (id, previousFor_ms, keep) {
      const stored = yield* find(id)
      const now_ms = yield* Clock.currentTimeMillis
      const changes = rotation(stored, now_ms, previousFor_ms)
      if (keep !== undefined) yield* keep({ ...stored, ...changes }, now_ms)
      return yield* owned.change(id, (updatedAt_ms) => ({ ...changes, updatedAt_ms }))
    }),
    remove: (id) =>
      Effect.andThen(
        owned.remove(id),
        Effect.sync(() => deliveries.removeAll(id))
      ),
    deliveries: (hookId, before, limit) => Effect.map(find(hookId), () => deliveries.page(hookId, before, limit)),
    delivery: (hookId, id) =>
      Effect.flatMap(find(hookId), () => {
        const delivery = deliveries.find(hookId, id)
        return delivery === undefined ? Effect.fail(new WebhookNotFound({ id })) : Effect.succeed(delivery)
      }),
    enqueue: Effect.fnUntraced(function* (delivery) {
      yield* find(delivery.hookId)
      if (isFull(delivery.hookId)) return yield* deliveriesFull()
      const made = deliveries.add(delivery, yield* newId, yield* Clock.currentTimeMillis, false)
      return made ?? (yield* Effect.die(new Error("A message that a person requests may be sent any number of times")))
    }),

    ...makeQueue({ hooks, deliveries, newId, isFull })
  }
  return webhooks
})

/** Keeps webhooks in memory; they are lost with the process. */
export const layer: Layer.Layer<never, never, IdSource> = Layer.effect(Webhooks, make)
