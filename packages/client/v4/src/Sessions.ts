import type { ConflictError, SessionNotFoundError } from "@webagent/contract"
import { QueuedMessage, type Run, V4Operations } from "@webagent/contract/v4"
import {
  CallOptions,
  ContractClient,
  type CreateError,
  type CreateOptions,
  Trace,
  type Transport,
  type WithoutResult,
  type WithResult
} from "@webagent/core"
import type { WaitTimeoutError } from "@webagent/polling"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Outcome from "./Outcome.ts"
import * as OwnRun from "./OwnRun.ts"
import type { CreateAndWaitOptions } from "./Runs.ts"
import { type RunError, RunWaiter } from "./RunWaiter.ts"

/** A follow-up for a session. */
export interface FollowUp {
  readonly text: string
  /** False, as unless told, runs it as the next turn; true runs it immediately. */
  readonly interrupt?: boolean
}

/** The run that a message becomes. */
export interface NextRun {
  readonly id: string
  readonly sessionId: string
  /** The service's response to the message. */
  readonly queued: QueuedMessage
}

/**
 * A message was queued, but the answer does not name the run that it becomes: the service's description promises no
 * such field. The run may go on, and cost.
 */
export class NextRunUnknownError extends Schema.TaggedError<NextRunUnknownError>()("NextRunUnknownError", {
  sessionId: Schema.String,
  /** The service's response to the message. */
  queued: QueuedMessage
}) {
  override get message() {
    return (
      `The message for session ${this.sessionId} was queued, but the answer names no runId: its run may go on, and ` +
      "cost, and has to be looked for at the service. Do not send the message again."
    )
  }
}

/** Errors that queueing a message can fail with. */
export type QueueError = SessionNotFoundError | ConflictError | CreateError

/** Options of `followUpAndWait`. */
export interface FollowUpAndWaitOptions<RC = never> extends CreateAndWaitOptions<RC> {
  /** True runs the message immediately; false, as unless told, as the next turn. */
  readonly interrupt?: boolean | undefined
}

/** Errors that a follow-up and its wait can fail with. */
export type FollowUpError = QueueError | NextRunUnknownError | RunError | WaitTimeoutError

const make = Effect.gen(function* () {
  const { sessions: api } = yield* ContractClient.make("v4", V4Operations)
  const own = OwnRun.make(yield* RunWaiter)

  const send = (sessionId: string, followUp: FollowUp, options?: CreateOptions) => {
    const payload = { text: followUp.text, interrupt: followUp.interrupt ?? false }
    return api.queue({ params: { session_id: sessionId }, payload }).pipe(CallOptions.provide(options))
  }

  const traced = (name: string, sessionId: string) =>
    Trace.span(`v4.Sessions.${name}`, { attributes: { "session.id": sessionId } })

  const next = (sessionId: string, followUp: FollowUp, options?: CreateOptions) =>
    Effect.flatMap(send(sessionId, followUp, options), (queued): Effect.Effect<NextRun, NextRunUnknownError> =>
      typeof queued.runId === "string"
        ? Effect.succeed({ id: queued.runId, sessionId, queued })
        : Effect.fail(new NextRunUnknownError({ sessionId, queued }))
    )

  const followUpAndWait = ((
    sessionId: string,
    text: string,
    options?: FollowUpAndWaitOptions<unknown> & Partial<WithResult<unknown, unknown>>
  ) => {
    const create = Effect.map(
      next(sessionId, { text, interrupt: options?.interrupt ?? false }),
      // as a run that was created: what the service answers to the message are not fields of the run
      ({ id, sessionId }) => ({ id, sessionId })
    )
    return own(create, options).pipe(
      CallOptions.provideToWait(options),
      Outcome.as(options?.result),
      traced("followUpAndWait", sessionId)
    )
  }) as Sessions["Service"]["followUpAndWait"]

  return Sessions.of({
    queue: (sessionId, message, options) => traced("queue", sessionId)(send(sessionId, message, options)),
    followUp: (sessionId, text, options) => traced("followUp", sessionId)(next(sessionId, { text }, options)),
    interrupt: (sessionId, text, options) =>
      traced("interrupt", sessionId)(next(sessionId, { text, interrupt: true }, options)),
    followUpAndWait
  })
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
 *   const june = yield* sessions.followUpAndWait("5f2e", "Now the same for June")
 *   return june.result
 * }).pipe(Effect.provide(V4.layer()))
 * ```
 */
export class Sessions extends Context.Service<
  Sessions,
  {
    /**
     * Queues a message for a session. The message becomes a run, so it's sent once, like a create.
     *
     * @param message - The text. With `interrupt: true` it runs immediately instead of next.
     * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
     * @throws `TransportError` if the service can't be reached, and errors of the service such as `UnauthorizedError`.
     */
    readonly queue: (
      sessionId: string,
      message: FollowUp,
      options?: CreateOptions
    ) => Effect.Effect<QueuedMessage, QueueError>
    /**
     * Queues a message as the next run of a session.
     *
     * @returns The run that the message becomes.
     * @throws `NextRunUnknownError` if the response has no `runId`. Don't send the message again.
     */
    readonly followUp: (
      sessionId: string,
      text: string,
      options?: CreateOptions
    ) => Effect.Effect<NextRun, QueueError | NextRunUnknownError>
    /**
     * Sends a message that interrupts the current run of a session and runs immediately.
     *
     * @returns The run that the message becomes.
     * @throws `NextRunUnknownError` if the response has no `runId`. Don't send the message again.
     */
    readonly interrupt: (
      sessionId: string,
      text: string,
      options?: CreateOptions
    ) => Effect.Effect<NextRun, QueueError | NextRunUnknownError>
    /**
     * Queues a message and waits for the run that it becomes, like `createAndWait` of runs.
     *
     * @param options - `timeout` limits the wait: 30 minutes by default. `interrupt: true` runs the message immediately.
     * @returns The finished run. With `result`, its result has the type of the schema.
     * @throws `WaitTimeoutError` if the run doesn't finish in time.
     */
    readonly followUpAndWait: {
      <RC = never>(
        sessionId: string,
        text: string,
        options?: FollowUpAndWaitOptions<RC> & WithoutResult
      ): Effect.Effect<Run, FollowUpError, RC>
      <A, RD = never, RC = never>(
        sessionId: string,
        text: string,
        options: FollowUpAndWaitOptions<RC> & WithResult<A, RD>
      ): Effect.Effect<Outcome.CompletedRun<A>, FollowUpError | Outcome.NoResultError, RD | RC>
    }
  }
>()("@webagent/v4/Sessions") {
  static readonly layer: Layer.Layer<Sessions, never, Transport> = Layer.effect(this, make).pipe(
    Layer.provide(RunWaiter.layer)
  )
}
