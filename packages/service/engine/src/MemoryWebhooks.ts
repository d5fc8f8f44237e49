import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Delivery, NewDelivery, Webhook } from "./domain/Webhook.ts"
import { freshId } from "./freshIds.ts"
import { IdSource } from "./ports/IdSource.ts"
import { Owner } from "./ports/Owner.ts"
import {
  deliveriesFull,
  refusedError,
  webhookLimits,
  WebhookNotFound,
  type WebhookQueue,
  Webhooks,
  webhooksFull,
  type WebhooksService
} from "./ports/Webhooks.ts"

/** Maximum number of finished messages that are kept. */
const mostFinished = 5000

const queued = (delivery: NewDelivery, id: string, now_ms: number): Delivery => ({
  ...delivery,
  id,
  messageId: delivery.messageId ?? `msg_${id}`,
  status: "queued",
  attempts: 0,
  nextAt_ms: now_ms,
  finishedAt_ms: null,
  response: null,
  error: null
})

/** Records that the operations of owners and of senders share. */
interface Shared {
  readonly hooks: Map<string, Webhook>
  /** In the order of their creation. */
  readonly deliveries: Map<string, Delivery>
  readonly newId: Effect.Effect<string>
  readonly waiting: () => ReadonlyArray<Delivery>
  readonly isFull: (owner: string | null) => boolean
}

/** Makes the queue of messages. */
const makeQueue = ({ deliveries, hooks, isFull, newId, waiting }: Shared): WebhookQueue => {
  /** Until when a sender has a webhook for itself, and when one last took it. */
  const leases = new Map<string, { readonly until_ms: number; readonly at_ms: number }>()
  let position = 0

  /** The due messages of a webhook whose turn it is. */
  const dueOf = (hookId: string, now_ms: number): ReadonlyArray<Delivery> => {
    const subjects = new Set<string>()
    return waiting().filter((delivery) => {
      if (delivery.hookId !== hookId || subjects.has(delivery.subject)) return false
      subjects.add(delivery.subject)
      return (delivery.nextAt_ms ?? 0) <= now_ms
    })
  }

  const add = (delivery: NewDelivery, id: string, now_ms: number) => {
    const { hookId, once, owner } = delivery
    if (!hooks.has(hookId)) return
    if (once !== null && [...deliveries.values()].some((one) => one.hookId === hookId && one.once === once)) return
    const made = queued(delivery, id, now_ms)
    deliveries.set(
      id,
      isFull(owner) ? { ...made, status: "refused", nextAt_ms: null, finishedAt_ms: now_ms, error: refusedError } : made
    )
  }

  /** Deletes the oldest messages that finished by this time, at most this many. */
  const forget = (limit: number, until_ms: number) => {
    const old = [...deliveries.values()].filter(
      ({ finishedAt_ms }) => finishedAt_ms !== null && finishedAt_ms <= until_ms
    )
    const gone = old.slice(0, Math.max(0, limit))
    for (const { id } of gone) deliveries.delete(id)
    return gone.length
  }

  return {
    active: Effect.sync(() => [...hooks.values()].filter(({ isActive }) => isActive)),
    position: Effect.sync(() => position),
    advance: Effect.fnUntraced(function* (from, to, added) {
      const now_ms = yield* Clock.currentTimeMillis
      if (position !== from) return false
      position = to
      for (const delivery of added) add(delivery, yield* newId, now_ms)
      forget(deliveries.size - waiting().length - mostFinished, Infinity)
      return true
    }),
    take: (lease_ms, limit) =>
      Effect.map(Clock.currentTimeMillis, (now_ms) => {
        const free = [...hooks.values()]
          .filter(({ id, isActive }) => isActive && (leases.get(id)?.until_ms ?? 0) <= now_ms)
          .toSorted((left, right) => (leases.get(left.id)?.at_ms ?? 0) - (leases.get(right.id)?.at_ms ?? 0))
        for (const webhook of free) {
          const due = dueOf(webhook.id, now_ms)
          if (due.length === 0) continue
          leases.set(webhook.id, { until_ms: now_ms + lease_ms, at_ms: now_ms })
          return { webhook, deliveries: due.slice(0, limit) }
        }
        return null
      }),
    record: ({ attempts, id }, { error, response, status, wait_ms }) =>
      Effect.map(Clock.currentTimeMillis, (now_ms) => {
        const stored = deliveries.get(id)
        if (stored?.status !== "queued" || stored.attempts !== attempts) return
        const isOver = status !== "queued"
        deliveries.set(id, {
          ...stored,
          status,
          attempts: attempts + 1,
          nextAt_ms: isOver ? null : now_ms + wait_ms,
          finishedAt_ms: isOver ? now_ms : null,
          response,
          error
        })
      }),
    release: (hookId) =>
      Effect.sync(() => {
        const lease = leases.get(hookId)
        if (lease !== undefined) leases.set(hookId, { ...lease, until_ms: 0 })
      }),
    nextIn: Effect.map(Clock.currentTimeMillis, (now_ms) => {
      const times = waiting().flatMap(({ hookId, nextAt_ms }) =>
        hooks.get(hookId)?.isActive === true ? [nextAt_ms ?? 0] : []
      )
      return times.length === 0 ? null : Math.max(0, Math.min(...times) - now_ms)
    }),
    prune: (until_ms, limit) => Effect.sync(() => forget(limit, until_ms))
  }
}

/** Keeps webhooks and their messages in memory, none at the start. */
export const make = Effect.gen(function* () {
  const ids = yield* IdSource
  const hooks = new Map<string, Webhook>()
  /** In the order of their creation. */
  const deliveries = new Map<string, Delivery>()

  const isSeenBy = (owner: string | null) => (hook: Webhook) => owner === null || hook.owner === owner

  const find = (id: string) =>
    Effect.flatMap(Owner, (owner) => {
      const hook = hooks.get(id)
      return hook !== undefined && isSeenBy(owner)(hook)
        ? Effect.succeed(hook)
        : Effect.fail(new WebhookNotFound({ id }))
    })

  const waiting = () => [...deliveries.values()].filter(({ status }) => status === "queued")
  const isFull = (owner: string | null) =>
    waiting().filter((delivery) => delivery.owner === owner).length >= webhookLimits.queued

  const newId = freshId(ids, "delivery", (id) => deliveries.has(id))

  const webhooks: WebhooksService = {
    create: Effect.fnUntraced(function* (fields, after) {
      const owner = yield* Owner
      const owned = [...hooks.values()].filter((hook) => hook.owner === owner)
      if (owned.length >= webhookLimits.webhooks) return yield* webhooksFull()
      const now_ms = yield* Clock.currentTimeMillis
      const hook: Webhook = {
        id: yield* freshId(ids, "webhook", (id) => hooks.has(id)),
        owner,
        ...fields,
        isActive: true,
        secretVersion: 1,
        previousSecretUntil_ms: null,
        after,
        createdAt_ms: now_ms,
        updatedAt_ms: now_ms
      }
      hooks.set(hook.id, hook)
      return hook
    }),
    find,
    list: Effect.map(Owner, (owner) => [...hooks.values()].filter(isSeenBy(owner))),
    update: (id, changes) =>
      Effect.zipWith(find(id), Clock.currentTimeMillis, (hook, now_ms) => {
        const next = { ...hook, ...changes, updatedAt_ms: Math.max(now_ms, hook.updatedAt_ms) }
        hooks.set(id, next)
        return next
      }),
    remove: (id) =>
      Effect.map(find(id), () => {
        hooks.delete(id)
        for (const delivery of deliveries.values()) if (delivery.hookId === id) deliveries.delete(delivery.id)
      }),
    deliveries: (hookId, before, limit) =>
      Effect.map(find(hookId), () => {
        const all = [...deliveries.values()].filter((delivery) => delivery.hookId === hookId).toReversed()
        const from = before === null ? 0 : all.findIndex(({ id }) => id === before) + 1
        return all.slice(from, from + limit)
      }),
    delivery: (hookId, id) =>
      Effect.flatMap(find(hookId), () => {
        const delivery = deliveries.get(id)
        return delivery?.hookId === hookId ? Effect.succeed(delivery) : Effect.fail(new WebhookNotFound({ id }))
      }),
    enqueue: Effect.fnUntraced(function* (delivery) {
      const { owner } = yield* find(delivery.hookId)
      if (isFull(owner)) return yield* deliveriesFull()
      const made = queued(delivery, yield* newId, yield* Clock.currentTimeMillis)
      deliveries.set(made.id, made)
      return made
    }),

    ...makeQueue({ hooks, deliveries, newId, waiting, isFull })
  }
  return webhooks
})

/** Keeps webhooks in memory; they are lost with the process. */
export const layer: Layer.Layer<never, never, IdSource> = Layer.effect(Webhooks, make)
