import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Delivery, NewDelivery, Webhook, WebhookFields } from "../domain/Webhook.ts"
import { NoRoom } from "./Profiles.ts"
import type { Keep, KeyTaken, StoreUnavailable } from "./Store.ts"

/** No webhook of the caller has this id, or the webhook has no such delivery. */
export class WebhookNotFound extends Data.TaggedError("WebhookNotFound")<{ readonly id: string }> {}

/** Changes of a webhook. */
export type WebhookChanges = Partial<Pick<Webhook, "description" | "events" | "isActive" | "url" | "after">>

/** The outcome of an attempt. */
export interface AttemptOutcome {
  readonly status: "delivered" | "failed" | "queued"
  /** For a status of `queued`: time to the next attempt. */
  readonly wait_ms: number
  readonly response: number | null
  readonly error: string | null
}

/** A webhook, and messages that one sender has for itself until their `nextAt_ms`, all with different subjects. */
export interface Taken {
  readonly webhook: Webhook
  readonly deliveries: ReadonlyArray<Delivery>
}

/** The most webhooks of one owner, and waiting messages of one webhook. */
export const webhookLimits = { webhooks: 20, queued: 1000 }

type OfWebhook<A, E = never> = Effect.Effect<A, E | WebhookNotFound | StoreUnavailable>

/** Storage of webhooks and of the messages to them. Each caller sees its own webhooks. */
export interface WebhooksService extends WebhookQueue {
  /** Creates a webhook that is sent for events after this cursor. */
  readonly create: (
    fields: WebhookFields,
    after: number,
    keep?: Keep<Webhook>
  ) => Effect.Effect<Webhook, NoRoom | KeyTaken | StoreUnavailable>
  readonly find: (id: string) => OfWebhook<Webhook>
  /** The caller's webhooks, oldest first. */
  readonly list: Effect.Effect<ReadonlyArray<Webhook>, StoreUnavailable>
  readonly update: (id: string, changes: WebhookChanges) => OfWebhook<Webhook>
  /** Gives a webhook its next secret, and keeps the current one for this long. */
  readonly rotate: (id: string, previousFor_ms: number, keep?: Keep<Webhook>) => OfWebhook<Webhook, KeyTaken>
  /** Deletes a webhook with its messages. Those that were sent may be deleted a little later. */
  readonly remove: (id: string) => OfWebhook<void>
  /** Messages to a webhook, newest first, before the one with this id. */
  readonly deliveries: (hookId: string, before: string | null, limit: number) => OfWebhook<ReadonlyArray<Delivery>>
  readonly delivery: (hookId: string, id: string) => OfWebhook<Delivery>
  /** Queues one message, even if the webhook isn't active: it's sent when the webhook is. */
  readonly enqueue: (delivery: NewDelivery) => OfWebhook<Delivery, NoRoom>
}

/** The messages of every owner, for senders on any number of nodes. */
export interface WebhookQueue {
  /** The active webhooks. */
  readonly active: Effect.Effect<ReadonlyArray<Webhook>, StoreUnavailable>
  /** The cursor of the last event whose messages are queued. */
  readonly position: Effect.Effect<number, StoreUnavailable>
  /**
   * Queues the messages of the events up to a cursor, and moves the position there, in one commit. Messages above the
   * limit of their owner are stored as refused. False, and nothing is stored, if the position isn't `from` any more.
   */
  readonly advance: (
    from: number,
    to: number,
    deliveries: ReadonlyArray<NewDelivery>
  ) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Takes due messages of the active webhook whose turn it is: no other sender gets them for this long or until
   * `release`. Of the messages with the same subject, only the oldest is due. A webhook gets at most `limit` messages at
   * once, with those that this sender is `sending` to it, by its id. Null if there are none.
   */
  readonly take: (
    lease_ms: number,
    limit: number,
    sending: ReadonlyMap<string, number>
  ) => Effect.Effect<Taken | null, StoreUnavailable>
  /** Stores the outcome of an attempt, unless another sender stored one for it. */
  readonly record: (delivery: Delivery, outcome: AttemptOutcome) => Effect.Effect<void, StoreUnavailable>
  /** Makes a taken message due now. One whose lease is over is left alone, because another sender may have it. */
  readonly release: (delivery: Delivery) => Effect.Effect<void, StoreUnavailable>
  /** Time until the earliest attempt that waits, 0 if it's due; null if none waits. */
  readonly nextIn: Effect.Effect<number | null, StoreUnavailable>
  /** Deletes messages that finished at this time or before, at most this many; returns their number. */
  readonly prune: (until_ms: number, limit: number) => Effect.Effect<number, StoreUnavailable>
}

/** The port to the storage of webhooks; null on a server without webhooks. */
export const Webhooks: Context.Reference<WebhooksService | null> = Context.Reference("@webagent/engine/Webhooks", {
  defaultValue: (): WebhooksService | null => null
})

/** The error of a webhook above the limit. */
export const webhooksFull = (): NoRoom =>
  new NoRoom({
    message: `There are ${webhookLimits.webhooks} webhooks, the most that one API key may have. Delete one first`
  })

/** The error of a message above the limit. */
export const deliveriesFull = (): NoRoom =>
  new NoRoom({
    message: `${webhookLimits.queued} messages are waiting for this webhook, the most that may wait. Delete it, or fix its receiver`
  })

/** The error of a message that is refused. */
export const refusedError = `Not sent: ${webhookLimits.queued} messages were already waiting for this webhook`
