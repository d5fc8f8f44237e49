import { InvalidWebhookError, unwrap, type WebhookEvent } from "@webagent/v4/webhooks"
import { Hono } from "hono"

/** An app that receives webhooks. `secret` is the one that the server returned when the webhook was created. */
export const makeApp = (secret: () => string, onEvent: (id: string, event: WebhookEvent) => Promise<void>) => {
  const seen = new Set<string>()
  return new Hono().post("/webhooks", async (context) => {
    let event: WebhookEvent
    try {
      // use the raw text, because a body that was parsed and printed again has another signature
      event = unwrap(await context.req.text(), context.req.raw.headers, secret())
    } catch (error) {
      if (error instanceof InvalidWebhookError) return context.text(error.message, 400)
      throw error
    }
    // a message can arrive twice, so store the ids of handled messages in your database
    const id = context.req.header("webhook-id") ?? ""
    if (!seen.has(id)) {
      await onEvent(id, event)
      seen.add(id)
    }
    return context.body(null, 204)
  })
}
