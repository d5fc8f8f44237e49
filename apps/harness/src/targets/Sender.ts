import { Raw, type Transport } from "@webagent/core"
import * as Effect from "effect/Effect"
import type { Send } from "./Cancellation.ts"

/** Sends the requests that no client lists, with the service's address and key. */
export const sender = Effect.map(
  Effect.context<Transport>(),
  (context): Send =>
    (version, method, path, body) =>
      Raw.request(version)(method, path, body === undefined ? {} : { body }).pipe(
        Effect.map((answer) => ({ status: 200, body: answer })),
        Effect.catch((error) =>
          Effect.succeed({
            status:
              error._tag === "TransportError" && error.reason._tag === "UnexpectedStatus" ? error.reason.status : 0,
            body: undefined
          })
        ),
        Effect.provideContext(context)
      )
)
