import { fromMillis, type WebhookEvent } from "@webagent/contract"
import {
  ApiKeys,
  concerns,
  Engine,
  type Event,
  type NewDelivery,
  Owner,
  type StoredEvent,
  type StoreUnavailable,
  Turn,
  type Webhook,
  webhookEventOf,
  type WebhookEventType
} from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { hash } from "node:crypto"
import * as Recipients from "./Recipients.ts"

/** Shares of a key's daily limit that are alerted, in percent, the highest first. */
const alertAt = [100, 80]

const day_ms = 86_400_000

const timeOf = (at_ms: number | null | undefined) => (at_ms === null || at_ms === undefined ? null : fromMillis(at_ms))

/** The body of a message, and what it's about. */
interface Message {
  readonly event: WebhookEvent
  readonly subject: string
  readonly once: string | null
}

/** The message to a webhook. */
export const deliveryOf = (
  { id, owner }: Pick<Webhook, "id" | "owner">,
  { event, once, subject }: Message,
  messageId: string | null,
  createdAt_ms: number
): NewDelivery => ({
  hookId: id,
  owner,
  messageId,
  type: event.type,
  subject,
  once,
  body: JSON.stringify(event),
  createdAt_ms
})

/** The id of the message about a change: the same at every node and for every webhook. */
const messageIdOf = (change: string) => `msg_${hash("sha256", change).slice(0, 32)}`

/** Makes the messages of events. */
export const make = Effect.gen(function* () {
  const engine = yield* Engine
  const keys = Option.getOrUndefined(yield* Effect.serviceOption(ApiKeys))
  const isRecipient = yield* Recipients.make

  const runData = ({ id, sessionId, to }: Event) =>
    Effect.map(
      // a run may have been deleted since
      Effect.catchTag(engine.turn(id), "TurnNotFound", () => Effect.succeed(undefined)),
      (turn) => ({
        id,
        sessionId: sessionId ?? "",
        status: to,
        error: (Turn.isTerminal(to) ? turn?.error : null) ?? null,
        cost: turn?.cost ?? null,
        tags: turn?.tags ?? [],
        createdAt: timeOf(turn?.createdAt_ms),
        // the run may have finished since
        finishedAt: Turn.isTerminal(to) ? timeOf(turn?.finishedAt_ms) : null
      })
    )

  const browserData = ({ id }: Event) =>
    Effect.map(
      Effect.catchTag(engine.browser(id), "BrowserNotFound", () => Effect.succeed(undefined)),
      (browser) => ({
        id,
        sessionId: browser?.sessionId ?? null,
        reason: browser?.stopReason ?? null,
        metadata: browser?.metadata ?? {},
        startedAt: timeOf(browser?.startedAt_ms),
        finishedAt: timeOf(browser?.finishedAt_ms)
      })
    )

  const eventOf = (type: Exclude<WebhookEventType, "spend.alert">, change: Event) => {
    const timestamp = fromMillis(change.at_ms)
    switch (type) {
      case "browser.stopped":
        return Effect.map(browserData(change), (data): WebhookEvent => ({ type, timestamp, data }))
      case "run.waiting":
      case "run.answered":
      case "run.unanswered": {
        const questionId = change.question?.id ?? ""
        return Effect.map(runData(change), (data): WebhookEvent => ({ type, timestamp, data: { ...data, questionId } }))
      }
      default:
        return Effect.map(runData(change), (data): WebhookEvent => ({ type, timestamp, data }))
    }
  }

  const messageOf = (type: Exclude<WebhookEventType, "spend.alert">, change: Event) =>
    Effect.map(eventOf(type, change), (event): Message => ({ event, subject: `${change.of} ${change.id}`, once: null }))

  /** The alert of a key that has reached a share of its limit today; undefined if there is none. */
  const alertOf = Effect.fnUntraced(function* (owner: string) {
    const limit = Option.getOrUndefined(yield* keys?.named(owner) ?? Effect.succeedNone)?.limits.usdPerDay ?? null
    if (limit === null || keys === undefined) return undefined
    const now_ms = yield* Clock.currentTimeMillis
    const day = new Date(now_ms).toISOString().slice(0, 10)
    const { usd } = yield* keys.usage(owner, now_ms - (now_ms % day_ms))
    const percent = alertAt.find((share) => usd * 100 >= limit * share)
    if (percent === undefined) return undefined
    const data = { key: owner, day, percent, spent: String(Number(usd.toFixed(9))), limit: String(limit) }
    return {
      event: { type: "spend.alert" as const, timestamp: fromMillis(now_ms), data },
      subject: `spending ${owner}`,
      once: `spending ${owner} ${day} ${percent}`
    }
  })

  /**
   * The messages that webhooks get for events, in the order of the events. Webhooks whose key may not have them get none.
   * The spending of a key is checked when one of its runs finishes.
   */
  return Effect.fnUntraced(
    function* (
      webhooks: ReadonlyArray<Webhook>,
      events: ReadonlyArray<StoredEvent>
    ): Effect.fn.Return<ReadonlyArray<NewDelivery>, StoreUnavailable> {
      const subscribed = webhooks.filter((webhook) =>
        events.some(({ cursor, event }) => webhook.after < cursor && concerns(webhook, event.owner))
      )
      const sent = yield* Effect.filter(subscribed, isRecipient)
      const now_ms = yield* Clock.currentTimeMillis
      const deliveries: Array<NewDelivery> = []
      const add = (message: Message, change: string, to: ReadonlyArray<Webhook>) => {
        for (const webhook of to) deliveries.push(deliveryOf(webhook, message, messageIdOf(change), now_ms))
      }

      const spenders = new Set<string>()
      for (const { cursor, event } of events) {
        const type = webhookEventOf(event)
        if (type === null || type === "spend.alert") continue
        const concerned = sent.filter((webhook) => webhook.after < cursor && concerns(webhook, event.owner))
        const to = concerned.filter((webhook) => webhook.events.includes(type))
        if (to.length > 0) add(yield* messageOf(type, event), `${event.of} ${event.id} ${cursor}`, to)
        if (event.of === "turn" && event.owner !== null) spenders.add(event.owner)
      }
      for (const owner of spenders) {
        const to = sent.filter((webhook) => webhook.events.includes("spend.alert") && concerns(webhook, owner))
        const alert = to.length === 0 ? undefined : yield* alertOf(owner)
        if (alert !== undefined) add(alert, alert.once, to)
      }
      return deliveries
    },
    // webhooks of every key
    Effect.provideService(Owner, null)
  )
})
