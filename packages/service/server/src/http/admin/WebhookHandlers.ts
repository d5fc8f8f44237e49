import {
  BadCursorError,
  type CreatedWebhook,
  ForbiddenError,
  NotFoundError,
  pageSize,
  type Webhook as WebhookView,
  type WebhookDelivery,
  webhookEvents
} from "@webagent/admin"
import { ConflictError, fromMillis } from "@webagent/contract"
import {
  type Delivery,
  Engine,
  type NoRoom,
  Owner,
  type Webhook,
  WebhookNotFound,
  Webhooks,
  type WebhooksService
} from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Struct from "effect/Struct"
import * as Audit from "../../api/Audit.ts"
import { Caller } from "../../api/Caller.ts"
import * as Cursor from "../../api/Cursor.ts"
import { invalid } from "../../api/Invalid.ts"
import * as SafeCreate from "../../api/SafeCreate.ts"
import { LinkTokens } from "../../api/LinkTokens.ts"
import { deliveryOf } from "../../webhooks/Messages.ts"
import { urlProblem } from "../../webhooks/Post.ts"
import { isSeenBy } from "../../webhooks/Recipients.ts"
import { WebhookSender, WebhookSettings } from "../../webhooks/Sender.ts"
import { previousSecretFor_ms, secretOf } from "../../webhooks/Signature.ts"
import { owned } from "./Owned.ts"
import { group } from "./Operations.ts"

/** Number of webhooks whose newest message is read at the same time. */
const atOnce = 4

const timeOf = (at_ms: number | null) => (at_ms === null ? null : fromMillis(at_ms))

const deliveryView = (delivery: Delivery): WebhookDelivery => ({
  ...Struct.pick(delivery, ["id", "messageId", "type", "status", "attempts", "response", "error"]),
  createdAt: fromMillis(delivery.createdAt_ms),
  nextAttemptAt: timeOf(delivery.nextAt_ms),
  finishedAt: timeOf(delivery.finishedAt_ms)
})

const viewOf = (webhook: Webhook, [last]: ReadonlyArray<Delivery>): WebhookView => ({
  ...Struct.pick(webhook, ["id", "url", "description", "events", "owner", "everyKey"]),
  active: webhook.isActive,
  createdAt: fromMillis(webhook.createdAt_ms),
  updatedAt: fromMillis(webhook.updatedAt_ms),
  previousSecretUntil: timeOf(webhook.previousSecretUntil_ms),
  lastDelivery: last === undefined ? null : deliveryView(last)
})

const createdOf = (tokens: LinkTokens["Service"], { id, secretVersion }: Webhook, webhook: WebhookView) =>
  ({ webhook, secret: Redacted.make(secretOf(tokens, id, secretVersion)) }) satisfies CreatedWebhook

const checkUrl = (url: string, settings: WebhookSettings) => {
  const problem = urlProblem(url, settings)
  return problem === undefined ? Effect.void : Effect.fail(invalid(["body", "url"], problem))
}

const none = new NotFoundError({ detail: "This server has no webhooks" })

const noWebhook = ({ id }: WebhookNotFound) => new NotFoundError({ detail: `No webhook or message has the id ${id}` })

const full = ({ message }: NoRoom) => new ConflictError({ detail: message })

/** Webhooks and the log of their messages. */
export const layer = group("webhooks", function* (handlers) {
  const stored = yield* Webhooks
  const tokens = yield* LinkTokens
  const settings = yield* WebhookSettings
  const { wake } = yield* WebhookSender
  const { events, once } = yield* Engine
  const webhooks = stored === null ? Effect.fail(none) : Effect.succeed(stored)

  const use = <A, E, R>(
    body: (service: WebhooksService) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, Exclude<E, WebhookNotFound> | NotFoundError, R> =>
    Effect.mapError(Effect.flatMap(webhooks, body), (error) =>
      error instanceof WebhookNotFound ? noWebhook(error) : (error as Exclude<E, WebhookNotFound>)
    )

  /** The same for one webhook, if the caller may have it. */
  const useOne = <A, E, R>(id: string, body: (service: WebhooksService, webhook: Webhook) => Effect.Effect<A, E, R>) =>
    use(
      Effect.fnUntraced(function* (service) {
        const webhook = yield* service.find(id)
        if (!isSeenBy(webhook, yield* Caller)) return yield* new WebhookNotFound({ id })
        return yield* body(service, webhook)
      })
    )

  const view = (service: WebhooksService) => (webhook: Webhook) =>
    Effect.map(service.deliveries(webhook.id, null, 1), (newest) => viewOf(webhook, newest))

  return handlers
    .handle("deliveries", ({ params: { webhook_id }, query: { cursor, limit = pageSize.default } }) =>
      useOne(webhook_id, (service) =>
        Effect.gen(function* () {
          const scope = { list: "admin.deliveries", owner: yield* Owner, filter: { webhook_id } }
          const before = cursor === undefined ? null : Cursor.decodeText(scope, cursor)
          if (before === undefined) return yield* new BadCursorError({ detail: Cursor.badCursor })
          const rows = yield* service.deliveries(webhook_id, before, limit + 1)
          const last = rows.length > limit ? rows[limit - 1] : undefined
          return {
            rows: rows.slice(0, limit).map(deliveryView),
            next: last === undefined ? null : Cursor.encodeText(scope, last.id),
            complete: true
          }
        })
      )
    )
    .handleAll({
      list: () =>
        use((service) =>
          Effect.flatMap(Effect.zip(service.list, Caller), ([all, caller]) => {
            const seen = all.filter((webhook) => isSeenBy(webhook, caller))
            return Effect.forEach(seen, view(service), { concurrency: atOnce })
          })
        ),
      create: ({ payload, request }) =>
        use((service) =>
          Effect.gen(function* () {
            const { description = null, events: types = webhookEvents, everyKey = false, url } = payload
            if (everyKey && !(yield* Caller).isAdmin) {
              return yield* new ForbiddenError({
                detail: "A webhook for every key needs a key with the scope admin"
              })
            }
            yield* checkUrl(url, settings)
            const fields = { description, events: [...new Set(types)], everyKey, url }
            const { webhook } = yield* SafeCreate.once({ request, payload }, (safe) =>
              once(safe, "Webhook", (keep) =>
                Effect.flatMap(events.newestEvent, (after) => owned(service.create(fields, after, keep)))
              )
            )
            yield* wake
            yield* Audit.note([webhook.id])
            return createdOf(tokens, webhook, viewOf(webhook, []))
          })
        ).pipe(Effect.catchTag("NoRoom", (error) => Effect.fail(full(error)))),
      get: ({ params: { webhook_id } }) => useOne(webhook_id, (service, webhook) => view(service)(webhook)),
      update: ({ params: { webhook_id }, payload: { active, ...changes } }) =>
        useOne(webhook_id, (service, { isActive }) =>
          Effect.gen(function* () {
            if (changes.url !== undefined) yield* checkUrl(changes.url, settings)
            const webhook = yield* service.update(webhook_id, {
              ...changes,
              ...(active === undefined ? {} : { isActive: active }),
              // changes while it was off aren't sent
              ...(active === true && !isActive ? { after: yield* events.newestEvent } : {})
            })
            yield* wake
            return yield* view(service)(webhook)
          })
        ),
      remove: ({ params: { webhook_id } }) => useOne(webhook_id, (service) => service.remove(webhook_id)),
      rotate: ({ params: { webhook_id }, request }) =>
        useOne(webhook_id, (service) =>
          Effect.gen(function* () {
            const { webhook } = yield* SafeCreate.once({ request, payload: null }, (safe) =>
              once(safe, "Webhook", (keep) => service.rotate(webhook_id, previousSecretFor_ms, keep))
            )
            return createdOf(tokens, webhook, yield* view(service)(webhook))
          })
        ),
      test: ({ params: { webhook_id } }) =>
        useOne(webhook_id, (service, webhook) =>
          Effect.gen(function* () {
            const now_ms = yield* Clock.currentTimeMillis
            const event = {
              type: "webhook.test" as const,
              timestamp: fromMillis(now_ms),
              data: { webhookId: webhook.id }
            }
            const message = { event, subject: `test ${now_ms}`, once: null }
            const delivery = yield* service.enqueue(deliveryOf(webhook, message, null, now_ms))
            yield* wake
            return deliveryView(delivery)
          })
        ).pipe(Effect.catchTag("NoRoom", (error) => Effect.fail(full(error)))),
      delivery: ({ params: { delivery_id, webhook_id } }) =>
        useOne(webhook_id, (service) =>
          Effect.map(service.delivery(webhook_id, delivery_id), (delivery) => ({
            ...deliveryView(delivery),
            body: delivery.body
          }))
        ),
      redeliver: ({ params: { delivery_id, webhook_id } }) =>
        useOne(webhook_id, (service) =>
          Effect.gen(function* () {
            const stored = yield* service.delivery(webhook_id, delivery_id)
            const { body, hookId, messageId, owner, subject, type } = stored
            const createdAt_ms = yield* Clock.currentTimeMillis
            const message = { hookId, owner, messageId, type, subject, once: null, body, createdAt_ms }
            const delivery = yield* service.enqueue(message)
            yield* wake
            return deliveryView(delivery)
          })
        ).pipe(Effect.catchTag("NoRoom", (error) => Effect.fail(full(error))))
    })
})
