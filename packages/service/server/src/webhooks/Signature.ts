import type { Webhook as WebhookRecord } from "@webagent/engine"
import { Webhook } from "standardwebhooks"
import type { LinkTokens } from "../api/LinkTokens.ts"

/** For how long requests are also signed with the secret before a rotation, in milliseconds. */
export const previousSecretFor_ms = 86_400_000

/** The secret with this number of a webhook. It's derived from the server's secret, so that no record contains it. */
export const secretOf = (tokens: LinkTokens["Service"], id: string, version: number): string =>
  `whsec_${Buffer.from(tokens.of(`webhook secret ${id} ${version}`), "base64url").toString("base64")}`

/**
 * The headers of a message as Standard Webhooks has them. After a rotation, there are two signatures for a day, so that
 * a receiver can change its secret at any time in between.
 */
export const signedHeaders = (
  tokens: LinkTokens["Service"],
  { id, previousSecretUntil_ms, secretVersion }: WebhookRecord,
  {
    at,
    body,
    messageId,
    now_ms
  }: {
    readonly messageId: string
    readonly body: string
    /** The time of the request. */
    readonly at: Date
    /** The time of the service. */
    readonly now_ms: number
  }
): Readonly<Record<string, string>> => {
  const versions = (previousSecretUntil_ms ?? 0) > now_ms ? [secretVersion, secretVersion - 1] : [secretVersion]
  return {
    "webhook-id": messageId,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": versions
      .map((version) => new Webhook(secretOf(tokens, id, version)).sign(messageId, at, body))
      .join(" ")
  }
}
