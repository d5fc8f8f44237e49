import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { errors } from "./Errors.ts"
import { oncePerKey } from "./IdempotencyKey.ts"
import { FilterText, Instant, pageOf, pageQuery } from "./Page.ts"

/** Changes that a webhook can subscribe to. */
export const webhookEvents = [
  "run.completed",
  "run.failed",
  "run.cancelled",
  "run.waiting",
  "run.answered",
  "run.unanswered",
  "browser.stopped",
  "spend.alert"
] as const

/** A change that a webhook can subscribe to. */
export const WebhookEventType = Schema.Literals(webhookEvents)

/** A message to a webhook and its attempts so far. */
export const WebhookDelivery = Schema.Struct({
  id: Schema.String,
  /** The same for every webhook that gets the message, and when it's sent again: the header `webhook-id`. */
  messageId: Schema.String,
  /** Such as `run.completed`; `webhook.test` for a test. */
  type: Schema.String,
  /** `queued`, `delivered`, `failed` after the last attempt, or `refused` because too many messages were waiting. */
  status: Schema.String,
  attempts: Schema.Int,
  createdAt: Instant,
  /** Time of the next attempt; null if there is none. While one is under way, the time when it counts as lost. */
  nextAttemptAt: Schema.NullOr(Instant),
  finishedAt: Schema.NullOr(Instant),
  /** HTTP status of the last response; null if there was none. */
  response: Schema.NullOr(Schema.Int),
  /** The reason why the last attempt failed. */
  error: Schema.NullOr(Schema.String)
}).annotate({ identifier: "WebhookDelivery" })
export type WebhookDelivery = typeof WebhookDelivery.Type

/** A message with its body. */
export const WebhookMessage = Schema.Struct({
  ...WebhookDelivery.fields,
  /** The body of the request, as JSON text. It may quote pages. */
  body: Schema.String
}).annotate({ identifier: "WebhookMessage" })

/** An address that gets a request for each change that it subscribes to. */
export const Webhook = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  description: Schema.NullOr(Schema.String),
  events: Schema.Array(Schema.Union([WebhookEventType, Schema.String])),
  /** False while nothing is sent. */
  active: Schema.Boolean,
  /** Name of the key whose changes it gets; null on a server whose records have no owners. */
  owner: Schema.NullOr(Schema.String),
  /** True if it gets the changes of every key. */
  everyKey: Schema.Boolean,
  createdAt: Instant,
  updatedAt: Instant,
  /** The time until which requests are also signed with the secret before the rotation; null without one. */
  previousSecretUntil: Schema.NullOr(Instant),
  /** Its newest message; null before the first one. */
  lastDelivery: Schema.NullOr(WebhookDelivery)
}).annotate({ identifier: "Webhook" })
export type Webhook = typeof Webhook.Type

const Url = Schema.NonEmptyString.check(Schema.isMaxLength(2000)).annotate({
  examples: ["https://app.example/webhooks"]
})
const Description = Schema.NullOr(Schema.String.check(Schema.isMaxLength(200)))
const Events = Schema.Array(WebhookEventType).check(Schema.isMinLength(1), Schema.isMaxLength(webhookEvents.length))

/** A new webhook. */
export const CreateWebhook = Schema.Struct({
  url: Url,
  /** All changes by default. */
  events: Schema.optionalKey(Events),
  description: Schema.optionalKey(Description),
  /** With true, it gets the changes of every key; only a key with the scope `admin` may set it. */
  everyKey: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "CreateWebhook" })

/** Changes of a webhook. */
export const UpdateWebhook = Schema.Struct({
  url: Schema.optionalKey(Url),
  events: Schema.optionalKey(Events),
  description: Schema.optionalKey(Description),
  /** An inactive webhook misses the changes meanwhile; messages that were waiting are sent when it's active again. */
  active: Schema.optionalKey(Schema.Boolean)
})
  .check(
    Schema.isMinProperties(1, {
      message: "There is nothing to change: send at least one of url, events, description and active."
    })
  )
  .annotate({ identifier: "UpdateWebhook" })

/** A webhook with its secret, which is shown this once. */
export const CreatedWebhook = Schema.Struct({
  webhook: Webhook,
  /** Begins with `whsec_`, as Standard Webhooks has it. */
  secret: Schema.RedactedFromValue(Schema.String)
}).annotate({ identifier: "CreatedWebhook" })
export type CreatedWebhook = typeof CreatedWebhook.Type

const ofWebhook = { params: { webhook_id: FilterText }, error: [errors.notFound, errors.unavailable] }
const ofDelivery = { ...ofWebhook, params: { ...ofWebhook.params, delivery_id: FilterText } }

/** Webhooks of the request's key. A key with the scope `admin` sees those of every key. */
export class WebhooksGroup extends HttpApiGroup.make("webhooks").add(
  HttpApiEndpoint.get("list", "/webhooks", {
    success: Schema.Array(Webhook),
    error: [errors.notFound, errors.unavailable]
  }).annotate(OpenApi.Summary, "List webhooks, oldest first, each with its newest message"),
  HttpApiEndpoint.post("create", "/webhooks", {
    payload: CreateWebhook,
    success: CreatedWebhook.pipe(HttpApiSchema.status(201)),
    error: [errors.forbidden, errors.notFound, errors.conflict, errors.unavailable]
  })
    .annotate(OpenApi.Summary, "Create a webhook; the response has its secret, once")
    .annotateMerge(oncePerKey),
  HttpApiEndpoint.get("get", "/webhooks/:webhook_id", { ...ofWebhook, success: Webhook }).annotate(
    OpenApi.Summary,
    "Read a webhook"
  ),
  HttpApiEndpoint.patch("update", "/webhooks/:webhook_id", {
    ...ofWebhook,
    payload: UpdateWebhook,
    success: Webhook
  }).annotate(OpenApi.Summary, "Change a webhook, or turn it off and on"),
  HttpApiEndpoint.delete("remove", "/webhooks/:webhook_id", {
    ...ofWebhook,
    success: HttpApiSchema.NoContent
  }).annotate(OpenApi.Summary, "Delete a webhook with its messages"),
  HttpApiEndpoint.post("rotate", "/webhooks/:webhook_id/rotate", {
    ...ofWebhook,
    success: CreatedWebhook.pipe(HttpApiSchema.status(201))
  })
    .annotate(OpenApi.Summary, "Make a new secret; for a day, requests are signed with the one before, too")
    .annotateMerge(oncePerKey),
  HttpApiEndpoint.post("test", "/webhooks/:webhook_id/test", {
    ...ofWebhook,
    success: WebhookDelivery.pipe(HttpApiSchema.status(202)),
    error: [errors.notFound, errors.conflict, errors.unavailable]
  }).annotate(OpenApi.Summary, "Send a message of the type webhook.test"),
  HttpApiEndpoint.get("deliveries", "/webhooks/:webhook_id/deliveries", {
    ...ofWebhook,
    query: pageQuery,
    success: pageOf(WebhookDelivery),
    error: [errors.badCursor, errors.notFound, errors.unavailable]
  }).annotate(OpenApi.Summary, "List the messages to a webhook, newest first"),
  HttpApiEndpoint.get("delivery", "/webhooks/:webhook_id/deliveries/:delivery_id", {
    ...ofDelivery,
    success: WebhookMessage
  }).annotate(OpenApi.Summary, "Read a message to a webhook with its body"),
  HttpApiEndpoint.post("redeliver", "/webhooks/:webhook_id/deliveries/:delivery_id/redeliver", {
    ...ofDelivery,
    success: WebhookDelivery.pipe(HttpApiSchema.status(202)),
    error: [errors.notFound, errors.conflict, errors.unavailable]
  }).annotate(OpenApi.Summary, "Send a message again, with the same id")
) {}
