import type { Event } from "./Event.ts"

/** A change that webhooks are sent for. */
export type WebhookEventType =
  | `run.${"completed" | "failed" | "cancelled" | "waiting" | "answered" | "unanswered"}`
  | "browser.stopped"
  | "spend.alert"

/** An address that is sent a request for each change that it subscribes to. */
export interface Webhook {
  readonly id: string
  /** The owner of the changes that it's sent for; null on a server whose records have no owners. */
  readonly owner: string | null
  /** True if it's sent for the changes of every owner. */
  readonly everyKey: boolean
  readonly url: string
  readonly description: string | null
  /** The changes that it subscribes to. */
  readonly events: ReadonlyArray<WebhookEventType>
  /** False while nothing is sent. */
  readonly isActive: boolean
  /** Number of its secret: 1 is the first, and each rotation adds one. */
  readonly secretVersion: number
  /** The time until which requests are also signed with the secret before this one; null if it was never rotated. */
  readonly previousSecretUntil_ms: number | null
  /** It's sent for events after this cursor. */
  readonly after: number
  readonly createdAt_ms: number
  readonly updatedAt_ms: number
}

/** The fields of a webhook that its owner sets. */
export type WebhookFields = Pick<Webhook, "description" | "events" | "everyKey" | "url">

/** A new webhook, which is sent for events after a cursor. */
export const makeWebhook = (
  id: string,
  owner: string | null,
  fields: WebhookFields & Pick<Webhook, "after">,
  at_ms: number
): Webhook => ({
  id,
  owner,
  ...fields,
  isActive: true,
  secretVersion: 1,
  previousSecretUntil_ms: null,
  createdAt_ms: at_ms,
  updatedAt_ms: at_ms
})

/** The fields that change when a webhook gets its next secret. */
export const rotation = ({ secretVersion }: Webhook, now_ms: number, previousFor_ms: number) => ({
  secretVersion: secretVersion + 1,
  previousSecretUntil_ms: now_ms + previousFor_ms
})

/** Statuses of a delivery. A refused one was never sent, because too many were waiting. */
export const deliveryStatuses = ["queued", "delivered", "failed", "refused"] as const

/** Status of a delivery. */
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** A message to one webhook. */
export interface NewDelivery {
  readonly hookId: string
  readonly owner: string | null
  /** Id of the message, by which its receiver recognizes a repeated one; null for one that the storage makes. */
  readonly messageId: string | null
  readonly type: string
  /** Messages with the same subject are sent one after the other, in the order of their creation. */
  readonly subject: string
  /** A webhook has at most one message with this text; null for any number. */
  readonly once: string | null
  /** The body of the request. */
  readonly body: string
  readonly createdAt_ms: number
}

/** A message to one webhook, and its attempts so far. */
export interface Delivery extends NewDelivery {
  readonly id: string
  readonly messageId: string
  readonly status: DeliveryStatus
  readonly attempts: number
  /** Time of the next attempt; null if there is none. */
  readonly nextAt_ms: number | null
  readonly finishedAt_ms: number | null
  /** HTTP status of the last response; null if there was none. */
  readonly response: number | null
  /** The reason why the last attempt failed; null if none did. */
  readonly error: string | null
}

const second_ms = 1000
const minute_ms = 60 * second_ms
const hour_ms = 60 * minute_ms

/** Time from each failed attempt to the next one: ten attempts within a day. */
const waits_ms = [
  5 * second_ms,
  minute_ms,
  5 * minute_ms,
  15 * minute_ms,
  hour_ms,
  2 * hour_ms,
  4 * hour_ms,
  6 * hour_ms,
  10 * hour_ms
]

/**
 * The time to wait after this many attempts failed; null if that was the last one. `jitter` is from 0 to 1 and adds up
 * to a tenth, so that hooks that failed together aren't retried together.
 */
export const waitAfter = (attempts: number, jitter: number): number | null => {
  const wait_ms = waits_ms[attempts - 1]
  return wait_ms === undefined ? null : Math.round(wait_ms * (1 + 0.1 * jitter))
}

const endings: ReadonlyArray<string> = ["completed", "failed", "cancelled"]

/** The type of the webhook for an event; null if there is none. */
export const webhookEventOf = ({ browserQueue, control, of, question, to }: Event): WebhookEventType | null => {
  // changes that leave the status as it is
  if (question !== undefined) return `run.${question.change}`
  if (control !== undefined || browserQueue !== undefined) return null
  if (of === "turn" && endings.includes(to)) return `run.${to}` as WebhookEventType
  return of === "browser" && to === "stopped" ? "browser.stopped" : null
}

/** True if a webhook is sent for a change of this owner. */
export const concerns = ({ everyKey, owner }: Webhook, of: string | null): boolean =>
  everyKey || owner === null || owner === of
