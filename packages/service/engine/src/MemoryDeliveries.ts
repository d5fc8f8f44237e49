import type { Delivery, NewDelivery } from "./domain/Webhook.ts"
import { refusedError } from "./ports/Webhooks.ts"

/** Messages of one webhook. */
interface OfWebhook {
  /** All, in the order of their creation. */
  readonly all: Map<string, Delivery>
  /** Those that wait, by subject and in the order of their creation. */
  readonly waiting: Map<string, Map<string, Delivery>>
  /** Number of those that wait. */
  countWaiting: number
  /** The texts that it has at most one message with. */
  readonly once: Set<string>
}

/** The messages of a process, indexed so that no operation reads more of them than it needs. */
export interface MemoryDeliveries {
  readonly has: (id: string) => boolean
  readonly find: (hookId: string, id: string) => Delivery | undefined
  /** A webhook's messages, newest first, before the one with this id. */
  readonly page: (hookId: string, before: string | null, limit: number) => ReadonlyArray<Delivery>
  /** Number of a webhook's waiting messages. */
  readonly countWaiting: (hookId: string) => number
  /** The oldest waiting message about each subject of a webhook. */
  readonly heads: (hookId: string) => ReadonlyArray<Delivery>
  /** Adds a message, as refused if this one can't wait; null if the webhook has one with the same `once`. */
  readonly add: (delivery: NewDelivery, id: string, now_ms: number, isRefused: boolean) => Delivery | null
  /** Stores a message that has changed; its webhook and subject are the same. */
  readonly put: (delivery: Delivery) => void
  /** Deletes the messages of a webhook. */
  readonly removeAll: (hookId: string) => void
  /** Deletes messages that finished by this time, the first to finish first, at most this many; returns their number. */
  readonly prune: (until_ms: number, limit: number) => number
  /** Number of finished messages. */
  readonly countFinished: () => number
}

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

/** Makes an empty set of messages. */
export const make = (): MemoryDeliveries => {
  const byHook = new Map<string, OfWebhook>()
  const hookOf = new Map<string, string>()
  /** Finished messages, in the order in which they finished. */
  const finished = new Map<string, Delivery>()

  const of = (hookId: string): OfWebhook => {
    const stored = byHook.get(hookId)
    if (stored !== undefined) return stored
    const empty = { all: new Map(), waiting: new Map(), countWaiting: 0, once: new Set<string>() }
    byHook.set(hookId, empty)
    return empty
  }

  const wait = (hook: OfWebhook, delivery: Delivery) => {
    const { id, subject } = delivery
    const line = hook.waiting.get(subject) ?? new Map<string, Delivery>()
    hook.waiting.set(subject, line)
    if (!line.has(id)) hook.countWaiting++
    line.set(id, delivery)
  }

  const leave = (hook: OfWebhook, { id, subject }: Delivery) => {
    const line = hook.waiting.get(subject)
    if (line === undefined || !line.delete(id)) return
    hook.countWaiting--
    if (line.size === 0) hook.waiting.delete(subject)
  }

  const put = (delivery: Delivery) => {
    const { hookId, id, status } = delivery
    const hook = of(hookId)
    hook.all.set(id, delivery)
    hookOf.set(id, hookId)
    if (status === "queued") return wait(hook, delivery)
    leave(hook, delivery)
    finished.set(id, delivery)
  }

  const remove = (hook: OfWebhook, delivery: Delivery) => {
    const { id, once } = delivery
    leave(hook, delivery)
    hook.all.delete(id)
    if (once !== null) hook.once.delete(once)
    hookOf.delete(id)
    finished.delete(id)
  }

  return {
    has: (id) => hookOf.has(id),
    find: (hookId, id) => byHook.get(hookId)?.all.get(id),
    page: (hookId, before, limit) => {
      const newest = [...(byHook.get(hookId)?.all.values() ?? [])].toReversed()
      const from = before === null ? 0 : newest.findIndex(({ id }) => id === before) + 1
      return newest.slice(from, from + limit)
    },
    countWaiting: (hookId) => byHook.get(hookId)?.countWaiting ?? 0,
    heads: (hookId) =>
      [...(byHook.get(hookId)?.waiting.values() ?? [])].flatMap((line) => {
        const [head] = line.values()
        return head === undefined ? [] : [head]
      }),
    add: (delivery, id, now_ms, isRefused) => {
      const { hookId, once } = delivery
      const hook = of(hookId)
      if (once !== null) {
        if (hook.once.has(once)) return null
        hook.once.add(once)
      }
      const made = queued(delivery, id, now_ms)
      const added: Delivery = isRefused
        ? { ...made, status: "refused", nextAt_ms: null, finishedAt_ms: now_ms, error: refusedError }
        : made
      put(added)
      return added
    },
    put,
    removeAll: (hookId) => {
      const hook = byHook.get(hookId)
      if (hook === undefined) return
      for (const delivery of hook.all.values()) remove(hook, delivery)
      byHook.delete(hookId)
    },
    prune: (until_ms, limit) => {
      let deleted = 0
      for (const delivery of finished.values()) {
        if (deleted >= limit || (delivery.finishedAt_ms ?? 0) > until_ms) break
        remove(of(delivery.hookId), delivery)
        deleted += 1
      }
      return deleted
    },
    countFinished: () => finished.size
  }
}
