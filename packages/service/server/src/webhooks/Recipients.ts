import type { StoreUnavailable, Webhook } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { type Caller, Callers } from "../api/Caller.ts"

/** True if a caller may have this webhook: one of every key needs an admin key. */
export const isSeenBy = ({ everyKey }: Webhook, { isAdmin }: Caller): boolean => isAdmin || !everyKey

/**
 * Checks that the key of a webhook is still valid and may have it. The name alone says nothing: a new key may have the
 * name of a revoked one, and keys that were given to the server aren't stored.
 */
export const make = Effect.map(
  Callers,
  (callers) =>
    (webhook: Webhook): Effect.Effect<boolean, StoreUnavailable> =>
      webhook.owner === null || callers === null
        ? Effect.succeed(true)
        : Effect.map(callers.named(webhook.owner), (caller) => caller !== undefined && isSeenBy(webhook, caller))
)
