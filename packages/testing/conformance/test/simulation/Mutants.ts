import { InvalidRequest, type Transport, TransportError } from "@webagent/core"
import * as Effect from "effect/Effect"

type Client = Transport["Service"]

/** Clients that an oracle worth its name finds out: in what each differs from the shipped one. */
export const mutants = {
  /** Every failure of a create is tried again, and no request carries a key. */
  "retry everything": (transport: Client): Client => ({
    ...transport,
    create: (create, attempt) => transport.create(create, () => transport.retry(attempt({})))
  }),

  /** Whatever goes wrong is the end of the call, of the wait and of the stop. */
  "give up on the first error": (transport: Client): Client => ({
    ...transport,
    retry: (effect) => effect,
    exchange: (version, request) => {
      const fatal = (issue: string) =>
        new TransportError({
          method: request.method,
          path: request.url,
          origin: "",
          attempts: 1,
          reason: new InvalidRequest({ issue })
        })
      return transport.exchange(version, request).pipe(
        Effect.mapError((error) => fatal(error.message)),
        Effect.flatMap((answered) =>
          answered.status === 429 || answered.status >= 500
            ? Effect.fail(fatal(`status ${answered.status}`))
            : Effect.succeed(answered)
        )
      )
    }
  })
}
