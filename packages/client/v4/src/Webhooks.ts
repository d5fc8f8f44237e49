import type { WebhookEvent } from "@webagent/contract"
import { Webhook } from "standardwebhooks"

export type { WebhookBrowser, WebhookEvent, WebhookQuestion, WebhookRun, WebhookSpending } from "@webagent/contract"

/** The request isn't a webhook of the server: answer it with status 400, and don't use its body. */
export class InvalidWebhookError extends Error {
  override readonly name = "InvalidWebhookError"
}

/** Headers of a request, as `fetch`, Hono, Express and Node have them. */
export type WebhookHeaders =
  | { readonly get: (name: string) => string | null | undefined }
  | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

const names = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const

const headerOf = (headers: WebhookHeaders, name: string): string | undefined => {
  if (typeof headers.get === "function") return headers.get(name) ?? undefined
  const value = Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1]
  return typeof value === "string" ? value : undefined
}

/**
 * Checks the signature of a webhook and returns its event. A signature that is older than five minutes is refused, because
 * a recorded request could be sent again.
 *
 * @param body The request's body as text, exactly as it arrived: a body that was parsed and printed again has another
 * signature.
 * @param headers The request's headers.
 * @param secret The webhook's secret, which begins with `whsec_`. While you rotate it, pass the new and the old one.
 * @returns The event. Ignore types that you don't know: a newer server may send more.
 * @throws {InvalidWebhookError} The request isn't signed with the secret, or its time is too far from this machine's.
 *
 * @example
 * ```ts
 * import { unwrap } from "@webagent/v4/webhooks"
 *
 * export const receive = async (request: Request, secret: string): Promise<Response> => {
 *   const event = unwrap(await request.text(), request.headers, secret)
 *   if (event.type === "run.completed") console.log(`Run ${event.data.id} cost ${event.data.cost} USD`)
 *   return new Response(null, { status: 204 })
 * }
 * ```
 */
export const unwrap = (body: string, headers: WebhookHeaders, secret: string | ReadonlyArray<string>): WebhookEvent => {
  if (typeof body !== "string") {
    throw new InvalidWebhookError("The body isn't a text. Pass the raw body, not the parsed one.")
  }
  const signed: Record<string, string> = {}
  for (const name of names) {
    const value = headerOf(headers, name)
    if (value === undefined) throw new InvalidWebhookError(`The request has no header ${name}.`)
    signed[name] = value
  }
  let failure: unknown
  for (const one of typeof secret === "string" ? [secret] : secret) {
    try {
      return new Webhook(one).verify(body, signed) as WebhookEvent
    } catch (error) {
      failure = error
    }
  }
  const reason = failure instanceof Error ? failure.message : "There is no secret"
  throw new InvalidWebhookError(`The webhook can't be verified: ${reason}.`, { cause: failure })
}
