import type { ConflictError, SessionNotFoundError } from "@webagent/contract"
import { type QueuedMessage, V4Api } from "@webagent/contract/v4"
import { ContractClient, Transport } from "@webagent/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** A follow-up for a session. */
export interface FollowUp {
  readonly text: string
  /** False, as unless told, runs it as the next turn; true runs it immediately. */
  readonly interrupt?: boolean
}

const make = Effect.gen(function* () {
  const { sessions: api } = yield* ContractClient.make("v4", V4Api)
  const { grace } = yield* Transport

  const queue = Effect.fn("v4.Sessions.queue")(function* (sessionId: string, { interrupt = false, text }: FollowUp) {
    yield* Effect.annotateCurrentSpan("session.id", sessionId)
    const message = yield* api.queue({ params: { session_id: sessionId }, payload: { text, interrupt } })
    // the message becomes a run, which is as new as one that was created
    if (typeof message.runId === "string") yield* grace.remember(message.runId)
    return message
  })

  return Sessions.of({ queue })
})

/**
 * The sessions that runs belong to: a conversation that goes on.
 *
 * @example
 * ```ts
 * import { Sessions, V4 } from "@webagent/v4"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Effect.gen(function* () {
 *   const sessions = yield* Sessions
 *   return yield* sessions.queue("5f2e", { text: "Now the same for June" })
 * }).pipe(Effect.provide(V4.layerConfig))
 * ```
 */
export class Sessions extends Context.Service<
  Sessions,
  {
    /** Queues a follow-up message. It becomes a run, so it is sent by the rules for creates. */
    readonly queue: (
      sessionId: string,
      message: FollowUp
    ) => Effect.Effect<QueuedMessage, SessionNotFoundError | ConflictError | ContractClient.CreateError>
  }
>()("@webagent/v4/Sessions") {
  static readonly layer: Layer.Layer<Sessions, never, Transport> = Layer.effect(this, make)
}
