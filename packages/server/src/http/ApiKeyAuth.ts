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
  return Layer.succeed(ApiKeyAuth, {
    apiKey: (httpEffect, { credential }) => {
      const given = digest(Redacted.value(credential))
      return known.filter((key) => timingSafeEqual(key, given)).length > 0
        ? httpEffect
        : Effect.fail(new UnauthorizedError({ detail: "Invalid API key" }))
    }
  })
}
