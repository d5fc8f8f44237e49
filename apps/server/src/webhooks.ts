import { type CreatedWebhook, type Webhook, type WebhookDelivery, webhookEvents } from "@webagent/admin"
import * as Flags from "@webagent/cli/Flags"
import { usage } from "@webagent/cli/UserError"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type Admin, atServer, idOf, notFound, refusals, withAdmin } from "./adminCommand.ts"
import { columns, json, jsonOf, print, shownOf, since } from "./listing.ts"
import { program } from "./program.ts"

const longest = { url: 60, error: 100 }

const unknown = (server: Admin) => notFound("webhooks", server)

/** The response of a receiver, or the reason why there is none. */
const outcomeOf = ({ error, response }: WebhookDelivery) =>
  error !== null ? shownOf(error, longest.error) : response === null ? "-" : `HTTP ${response}`

const ago = (instant: string, now_ms: number) => since(Date.parse(instant), now_ms)

const line = (webhook: Webhook, now_ms: number) => {
  const { active, events, everyKey, id, lastDelivery, owner, url } = webhook
  return [
    id,
    active ? "active" : "inactive",
    everyKey ? "every key" : (owner ?? "-"),
    lastDelivery === null ? "-" : lastDelivery.status,
    lastDelivery === null ? "-" : ago(lastDelivery.createdAt, now_ms),
    lastDelivery === null ? "-" : outcomeOf(lastDelivery),
    shownOf(url, longest.url),
    events.join(",")
  ]
}

const titles = ["ID", "STATE", "KEY", "LAST", "SINCE", "OUTCOME", "URL", "EVENTS"]

const printDelivery = (
  isJson: boolean,
  { id, messageId, type }: WebhookDelivery,
  webhookId: string,
  { address }: Admin
) =>
  isJson
    ? Console.log(jsonOf({ id, messageId, type }))
    : Console.log(
        `Sending ${type} as delivery ${id}. Its outcome: ${program} webhooks deliveries ${webhookId} --server ${address}`
      )

/** Prints a new secret on standard output, so that a script can read it. */
const printSecret = ({ secret, webhook }: CreatedWebhook, sentence: string) =>
  Effect.andThen(
    Console.error(`${sentence} ${webhook.id}. The secret is shown only now: keep it where your app can read it.`),
    Console.log(Redacted.value(secret))
  )

const create = Command.make(
  "create",
  {
    url: Argument.String("url").pipe(Argument.withDescription("The address that receives the events")),
    ...atServer,
    events: Flag.Literals("event", webhookEvents).pipe(
      Flag.withDescription("Send this event; repeatable (default: every event)"),
      Flag.atLeast(0)
    ),
    description: Flags.text("description", "Describe the webhook (default: none)"),
    everyKey: Flags.switched("every-key", "Send the events of every key; needs a key with the scope admin")
  },
  ({ description, events, everyKey, url, ...at }) =>
    withAdmin(at, (server) =>
      server
        .ask(
          server.admin.webhooks.create({
            payload: {
              url,
              ...(events.length === 0 ? {} : { events: [...new Set(events)] }),
              ...(description === undefined ? {} : { description }),
              ...(everyKey ? { everyKey } : {})
            }
          })
        )
        .pipe(
          Effect.flatMap((created) => printSecret(created, "Created the webhook")),
          Effect.catchTags(refusals(server))
        )
    )
).pipe(Command.withDescription("Create a webhook, and print its secret once"))

const id = idOf("webhook")

const test = Command.make("test", { id, ...atServer, json }, ({ id: webhook_id, json, ...at }) =>
  withAdmin(at, (server) =>
    server.ask(server.admin.webhooks.test({ params: { webhook_id } })).pipe(
      Effect.flatMap((delivery) => printDelivery(json, delivery, webhook_id, server)),
      Effect.catchTags(refusals(server, "webhooks"))
    )
  )
).pipe(Command.withDescription("Send a webhook a message of the type webhook.test"))

/** Number of deliveries that are listed. */
const newest = 50

const deliveries = Command.make("deliveries", { id, ...atServer, json }, ({ id: webhook_id, json, ...at }) =>
  withAdmin(at, (server) =>
    Effect.gen(function* () {
      const { rows } = yield* server.ask(
        server.admin.webhooks.deliveries({ params: { webhook_id }, query: { limit: newest } })
      )
      if (json) return yield* Console.log(jsonOf(rows))
      if (rows.length === 0) return yield* Console.error(`The webhook ${webhook_id} has no messages.`)
      const now_ms = yield* Clock.currentTimeMillis
      const table = rows.map((row) => [
        row.id,
        row.type,
        row.status,
        `${row.attempts}`,
        ago(row.createdAt, now_ms),
        outcomeOf(row)
      ])
      yield* print(columns([["ID", "TYPE", "STATUS", "ATTEMPTS", "SINCE", "OUTCOME"], ...table]))
    }).pipe(Effect.catchTag("NotFoundError", unknown(server)))
  )
).pipe(Command.withDescription(`List the newest messages to a webhook, at most ${newest}`))

const redeliver = Command.make(
  "redeliver",
  { id, delivery: idOf("delivery", "delivery"), ...atServer, json },
  ({ delivery: delivery_id, id: webhook_id, json, ...at }) =>
    withAdmin(at, (server) =>
      server.ask(server.admin.webhooks.redeliver({ params: { delivery_id, webhook_id } })).pipe(
        Effect.flatMap((delivery) => printDelivery(json, delivery, webhook_id, server)),
        Effect.catchTags(refusals(server, "webhooks"))
      )
    )
).pipe(Command.withDescription("Send a message again, with the same webhook-id"))

const rotate = Command.make("rotate", { id, ...atServer }, ({ id: webhook_id, ...at }) =>
  withAdmin(at, (server) =>
    server.ask(server.admin.webhooks.rotate({ params: { webhook_id } })).pipe(
      Effect.flatMap((created) =>
        printSecret(
          created,
          "For a day, requests are signed with the old secret and this new one. Rotated the secret of"
        )
      ),
      Effect.catchTag("NotFoundError", unknown(server))
    )
  )
).pipe(Command.withDescription("Create a new secret and print it; the old one also signs for another day"))

const remove = Command.make("delete", { id, ...atServer }, ({ id: webhook_id, ...at }) =>
  withAdmin(at, (server) =>
    server
      .ask(server.admin.webhooks.remove({ params: { webhook_id } }))
      .pipe(
        Effect.andThen(Console.log(`Deleted the webhook ${webhook_id} and its messages.`)),
        Effect.catchTag("NotFoundError", unknown(server))
      )
  )
).pipe(Command.withDescription("Delete a webhook with its messages"))

/** `webhooks`, and commands to create, test, rotate and delete them. */
export const webhooks = Command.make("webhooks", { ...atServer, json }, ({ json, ...at }) =>
  withAdmin(at, (server) =>
    Effect.gen(function* () {
      const all = yield* server.ask(server.admin.webhooks.list())
      if (json) return yield* Console.log(jsonOf(all))
      if (all.length === 0) {
        const hint = `Create one: ${program} webhooks create URL --server ${server.address}`
        return yield* Console.error(`${server.address} has no webhooks for this key. ${hint}`)
      }
      const now_ms = yield* Clock.currentTimeMillis
      yield* print(columns([titles, ...all.map((webhook) => line(webhook, now_ms))]))
    }).pipe(Effect.catchTag("NotFoundError", ({ detail }) => Effect.fail(usage(`${server.address}: ${detail}.`))))
  )
).pipe(
  Command.withDescription("List a server's webhooks, each with its newest message"),
  Command.withSubcommands([create, test, deliveries, redeliver, rotate, remove])
)
