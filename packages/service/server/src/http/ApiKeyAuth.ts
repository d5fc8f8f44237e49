import { ApiKeyAuth, UnauthorizedError } from "@webagent/contract"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { hash, timingSafeEqual } from "node:crypto"

// equal lengths, so that the comparison tells nothing about a key, not even its length
const digest = (key: string) => hash("sha256", key, "buffer")

/** Lets requests through that carry one of these keys; every other is a 401, whatever else is wrong with it. */
export const layer = (apiKeys: ReadonlyArray<string>): Layer.Layer<ApiKeyAuth> => {
  const known = apiKeys.map(digest)
  const isKnown = (key: string) => {
    const given = digest(key)
    return known.filter((one) => timingSafeEqual(one, given)).length > 0
  }
  // a set finds by a hash of the process's own seed, so to have let a key through before tells nothing of it either
  const accepted = new Set<string>()
  return Layer.succeed(ApiKeyAuth, {
    apiKey: (httpEffect, { credential }) => {
      const key = Redacted.value(credential)
      if (accepted.has(key)) return httpEffect
      if (!isKnown(key)) return Effect.fail(new UnauthorizedError({ detail: "Invalid API key" }))
      accepted.add(key)
      return httpEffect
    }
  })
}
