import { ConsoleApi } from "@webagent/admin"
import { UnauthorizedError } from "@webagent/contract"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Redacted from "effect/Redacted"
import type { Behavior } from "../Behavior.ts"

/** The sign-in, with the key `wak_test`. */
export const signIn = (behavior: Behavior) =>
  HttpApiBuilder.group(ConsoleApi, "signIn", (handlers) =>
    handlers.handleAll({
      state: () =>
        Effect.sync(() => (behavior.signedIn ? { state: "signedIn", key: "shop" } : { state: "signedOut", key: null })),
      create: ({ payload }) =>
        Redacted.value(payload.key) === "wak_test"
          ? Effect.sync(() => {
              behavior.signedIn = true
              return { state: "signedIn" as const, key: "shop" }
            })
          : Effect.fail(new UnauthorizedError({ detail: "Invalid API key" })),
      remove: () => Effect.sync(() => void (behavior.signedIn = false))
    })
  )
