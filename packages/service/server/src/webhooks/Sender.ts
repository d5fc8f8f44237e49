import { type Delivery, Engine, waitAfter, type Webhook, Webhooks, type WebhooksService } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { LinkTokens } from "../api/LinkTokens.ts"
import * as Messages from "./Messages.ts"
import { post, PostFailed, type PostLimits } from "./Post.ts"
import * as Recipients from "./Recipients.ts"
import { signedHeaders } from "./Signature.ts"

/** Settings of webhooks. */
export interface WebhookSettings extends PostLimits {
  /**
   * Time between two looks for messages that no hint announced: those of other nodes, and those of a node that was lost.
   * Infinite for a store that this process has to itself.
   */
  readonly poll: Duration.Input
  /** Wraps the requests to one webhook: a simulated service's time stands still meanwhile. */
  readonly around: <A, E, R>(requests: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Settings of webhooks. Addresses that aren't public are refused by default. */
export const WebhookSettings: Context.Reference<WebhookSettings> = Context.Reference(
  "@webagent/server/webhooks/WebhookSettings",
  { defaultValue: (): WebhookSettings => ({ allowPrivate: false, poll: "1 second", around: (requests) => requests }) }
)

/** Time for which a sender has a message for itself. It's longer than the time limit of a request. */
const lease_ms = 30_000

/** Number of messages that this process sends at once, and of those to one webhook, all about different subjects. */
const most = { all: 512, each: 16 }

/** Most messages to one webhook while `total` are being sent: webhooks without a response leave places for others. */
const shareOf = (total: number) => Math.min(most.each, Math.ceil((most.all - total) / most.each))

/** Number of events that are read at a time. */
const pageSize = 500

/** Shortest time between two looks when messages are due, but an earlier one about the same subject is being sent. */
const least_ms = 1000

/** From a hint to the look, so that the events of a moment are read together. */
const gather = "20 millis"

/** The outcome of a message whose webhook's key may not have it any more. */
const revoked = Result.fail(new PostFailed({ reason: "Not sent: the webhook's API key was revoked" }))

/** The lowest cursor after which webhooks are sent. */
const firstAfter = (webhooks: ReadonlyArray<{ readonly after: number }>) =>
  webhooks.reduce((least, { after }) => Math.min(least, after), Number.MAX_SAFE_INTEGER)

const make = (webhooks: WebhooksService) =>
  Effect.gen(function* () {
    const { events } = yield* Engine
    const messagesOf = yield* Messages.make
    const isRecipient = yield* Recipients.make
    const tokens = yield* LinkTokens
    const settings = yield* WebhookSettings
    const scope = yield* Effect.scope
    const woken = yield* Queue.sliding<void>(1)
    const wake = () => void Queue.offerUnsafe(woken, undefined)
    /** True while there is an active webhook. Otherwise nothing is sent. */
    let isUsed = false
    let isListening = false
    /** Listens for events from the first active webhook on: until then, no commit wakes a fiber here. */
    const listen = Effect.suspend(() => {
      if (isListening) return Effect.void
      isListening = true
      // events that are committed before the stream is open give no hint, so there is one more look
      wake()
      return Effect.asVoid(
        Effect.forkIn(
          Stream.runForEach(events.hints, () => Effect.sync(() => (isUsed ? wake() : undefined))),
          scope
        )
      )
    })

    /** Queues the messages of new events: each event once, at whichever node is first. */
    const queue = Effect.gen(function* () {
      for (;;) {
        const active = yield* webhooks.active
        isUsed = active.length > 0
        if (!isUsed) return
        yield* listen
        const position = yield* webhooks.position
        const page = yield* events.eventsAfter(Math.max(position, firstAfter(active)), pageSize)
        const last = page.at(-1)
        if (last === undefined) return
        // with the webhooks that were created while the events were read
        const messages = yield* messagesOf(yield* webhooks.active, page)
        if (!(yield* webhooks.advance(position, last.cursor, messages))) return
      }
    })

    const attempt = Effect.fnUntraced(function* (webhook: Webhook, delivery: Delivery) {
      const { body, messageId } = delivery
      const now_ms = yield* Clock.currentTimeMillis
      // receivers compare it with their own clock
      const at = new Date(yield* Effect.provideService(Clock.currentTimeMillis, Clock.Clock, realClock))
      const headers = {
        "content-type": "application/json",
        "user-agent": "webagent-server",
        ...signedHeaders(tokens, webhook, { messageId, body, at, now_ms })
      }
      const isSent = yield* isRecipient(webhook)
      const result = isSent ? yield* Effect.result(post(new URL(webhook.url), headers, body, settings)) : revoked
      const response = Result.isSuccess(result) ? result.success : null
      const isDelivered = response !== null && response >= 200 && response < 300
      const wait_ms = isDelivered || !isSent ? null : waitAfter(delivery.attempts + 1, yield* Random.next)
      yield* webhooks.record(delivery, {
        status: isDelivered ? "delivered" : wait_ms === null ? "failed" : "queued",
        wait_ms: wait_ms ?? 0,
        response,
        error: Result.isFailure(result) ? result.failure.reason : isDelivered ? null : `The response was ${response}`
      })
    })

    /** Number of messages that are being sent, by the id of their webhook. */
    const sending = new Map<string, number>()
    let total = 0
    const count = (id: string, change: 1 | -1) => {
      total += change
      sending.set(id, (sending.get(id) ?? 0) + change)
      if (sending.get(id) === 0) sending.delete(id)
    }

    /** Sends a message. If its outcome can't be stored either, it's sent again when the lease is over. */
    const deliver = (webhook: Webhook, delivery: Delivery) => {
      count(webhook.id, 1)
      return settings.around(attempt(webhook, delivery)).pipe(
        Effect.onError(() => Effect.ignore(webhooks.release(delivery))),
        Effect.catchCause((cause) => Effect.logWarning("Cannot store the delivery of a webhook", cause)),
        Effect.ensuring(
          Effect.sync(() => {
            count(webhook.id, -1)
            wake()
          })
        ),
        Effect.forkIn(scope)
      )
    }

    const send = Effect.gen(function* () {
      while (total < most.all) {
        const taken = yield* webhooks.take(lease_ms, shareOf(total), sending)
        if (taken === null) return
        yield* Effect.forEach(taken.deliveries, (delivery) => deliver(taken.webhook, delivery), { discard: true })
      }
    })

    /** Waits for a hint, the next attempt or the next look, which is soon after one that failed. */
    const wait = Effect.fnUntraced(function* (isDone: boolean) {
      const next_ms = isUsed ? yield* Effect.orElseSucceed(webhooks.nextIn, () => least_ms) : null
      const poll_ms = isDone ? Duration.toMillis(settings.poll) : least_ms
      const sleep_ms = Math.min(poll_ms, next_ms === null ? Infinity : Math.max(next_ms, least_ms))
      const hinted = Effect.andThen(Queue.take(woken), Effect.sleep(gather))
      yield* Number.isFinite(sleep_ms) ? Effect.raceFirst(hinted, Effect.sleep(sleep_ms)) : hinted
    })

    const sendUsed = Effect.suspend(() => (isUsed ? send : Effect.void))
    yield* Effect.andThen(queue, sendUsed).pipe(
      Effect.as(true),
      // the store itself logs that it is unreachable
      Effect.catch((error) => Effect.as(Effect.logDebug("Cannot send webhooks right now", error), false)),
      Effect.catchCause((cause) => Effect.as(Effect.logWarning("Cannot send webhooks. Trying again.", cause), false)),
      Effect.flatMap(wait),
      Effect.forever,
      Effect.forkScoped
    )
    return wake
  })

/** Sockets are real, even if the clock of the service is simulated. */
const realClock = Clock.Clock.defaultValue()

/** Sends webhooks while the server runs. */
export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /** Looks for messages now. */
    readonly wake: Effect.Effect<void>
  }
>()("@webagent/server/WebhookSender") {
  /** Does nothing on a server without webhooks. */
  static readonly layer: Layer.Layer<WebhookSender, never, Engine | LinkTokens> = Layer.effect(
    WebhookSender,
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const wake = webhooks === null ? () => {} : yield* make(webhooks)
      return { wake: Effect.sync(wake) }
    })
  )
}
