import { QueuedMessage, type Run, type SessionExtensions } from "@webagent/contract/v4"
import { type CallChoices, CallOptions, type ContractClient, RetryPolicy, type Transport } from "@webagent/core"
import { Elapsed, OwnWait, Waiter, type WaitTimeoutError } from "@webagent/polling"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { OwnWaitOptions } from "./OwnRun.ts"
import type * as OwnRun from "./OwnRun.ts"
import type { RunError, RunWaiter } from "./RunWaiter.ts"

/** The run that a message becomes. */
export interface NextRun {
  readonly id: string
  readonly sessionId: string
  /** The service's response to the message. */
  readonly queued: QueuedMessage
}

/** Statuses of a message that becomes no run. */
const endings: ReadonlyArray<unknown> = ["cancelled", "superseded", "failed"]

/**
 * A message was queued, but it doesn't name the run that it becomes: the service's description promises no such field. The
 * run may go on, and cost. A message with the status `cancelled`, `superseded` or `failed` becomes no run.
 */
export class NextRunUnknownError extends Schema.TaggedError<NextRunUnknownError>()("NextRunUnknownError", {
  sessionId: Schema.String,
  /** The service's last response about the message. */
  queued: QueuedMessage
}) {
  override get message() {
    const message = `The message for session ${this.sessionId}`
    const { status } = this.queued
    return endings.includes(status)
      ? `${message} becomes no run: its status is ${String(status)}.`
      : `${message} was queued, but the answer names no runId: its run may go on, and ` +
          "cost, and has to be looked for at the service. Do not send the message again."
  }
}

/** Returns the run that a response about a message names. */
export const of = (sessionId: string, queued: QueuedMessage): Effect.Effect<NextRun, NextRunUnknownError> =>
  typeof queued.runId === "string"
    ? Effect.succeed({ id: queued.runId, sessionId, queued })
    : Effect.fail(new NextRunUnknownError({ sessionId, queued }))

/** Parts of the service that a wait for a message uses. */
interface Service {
  readonly messages: Pick<ContractClient.Optional<typeof SessionExtensions>, "message" | "removeMessage">
  readonly waiter: RunWaiter["Service"]
  readonly transport: Transport["Service"]
}

/** A message with its id as text, which is empty if the response has none. */
interface Message {
  readonly id: string
  readonly queued: QueuedMessage
}

const paramsOf = (sessionId: string, { id }: Message) => ({ params: { session_id: sessionId, message_id: id } })

/** Returns whether a message names its run, or becomes none, or can't be read. */
const isSettled = ({ id, runId, status }: QueuedMessage) =>
  typeof runId === "string" || id === undefined || endings.includes(status)

/** Reads a message until it's settled. Without the operation, the response to the message is all there is. */
const untilSettled = (
  { messages, transport, waiter }: Service,
  sessionId: string,
  message: Message,
  options: Waiter.WaitOptions
) =>
  Waiter.make({
    kind: "message",
    requestId: transport.requestId,
    budget: waiter.budget,
    check: (_, requestId) => CallOptions.poll(messages.message(paramsOf(sessionId, message)), requestId),
    isTerminal: isSettled,
    statusOf: ({ status }) => status ?? "pending",
    retryable: (error, { answered, silent_ms }) => RetryPolicy.forWait(error, answered, silent_ms)
  }).pipe(
    Effect.flatMap((waiter) => waiter.untilTerminal(message.id, options)),
    Effect.scoped,
    Effect.catch((error) =>
      error._tag === "OperationUnavailableError" || error._tag === "MessageNotFoundError"
        ? Effect.succeed(message.queued)
        : Effect.fail(error)
    )
  )

/**
 * Removes a message. A repeated request may be refused because the first one has removed the message and its response was
 * lost: then the message is cancelled.
 */
export const remove = (
  { message, removeMessage }: Service["messages"],
  params: ReturnType<typeof paramsOf>,
  options?: CallChoices
): ReturnType<typeof removeMessage> =>
  removeMessage(params, options).pipe(
    Effect.catch((error) =>
      error._tag !== "ConflictError" || error.call === undefined || error.call.attempts < 2
        ? Effect.fail(error)
        : Effect.flatMap(message(params, options), (queued) =>
            queued.status === "cancelled" ? Effect.succeed(queued) : Effect.fail(error)
          )
    )
  )

/** Removes a message, or cancels the run that it has become meanwhile. */
const cancel = ({ messages, waiter }: Service, sessionId: string, message: Message): Effect.Effect<unknown, unknown> =>
  remove(messages, paramsOf(sessionId, message)).pipe(
    Effect.catch((error) =>
      Effect.flatMap(messages.message(paramsOf(sessionId, message)), ({ runId }): Effect.Effect<unknown, unknown> =>
        typeof runId === "string" ? waiter.cancel(runId) : Effect.fail(error)
      )
    )
  )

/**
 * Queues a message and waits for its run. A pending message doesn't name its run yet, so the message is waited for first,
 * within the same timeout.
 */
export const queueAndWait = <E, RC>(
  service: Service,
  own: ReturnType<typeof OwnRun.make>,
  sessionId: string,
  send: Effect.Effect<QueuedMessage, E>,
  options: OwnWaitOptions<RC> = {}
): Effect.Effect<Run, E | NextRunUnknownError | RunError | WaitTimeoutError, RC> =>
  // no interruption between the two waits, which each report what they leave
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const began_ms = yield* Elapsed.now_ms
      const action = options.cancel === undefined ? undefined : "cancel"
      const queued = yield* OwnWait.createAndWait(
        {
          restore,
          kind: "message",
          create: (restore, isCancelled) =>
            RetryPolicy.interruptible(
              restore,
              isCancelled ? "pauses" : "attempts"
            )(Effect.map(send, (queued): Message => ({ id: String(queued.id ?? ""), queued }))),
          wait: (_, wait, message) =>
            isSettled(message.queued)
              ? Effect.succeed(message.queued)
              : untilSettled(service, sessionId, message, wait),
          cancel: (message) => cancel(service, sessionId, message),
          isForeign: RetryPolicy.isForeign
        },
        {
          ...options,
          cancel: undefined,
          onStatus: undefined,
          onEnd: action ?? options.onEnd,
          onAbort: action ?? options.onAbort
        }
      )
      const { id } = yield* of(sessionId, queued)
      const waited_ms = (yield* Elapsed.now_ms) - began_ms
      const timeout = Math.max(0, Duration.toMillis(options.timeout ?? "30 minutes") - waited_ms)
      // as a run that was created: what the service answers to the message are not fields of the run
      return yield* own(Effect.succeed({ id, sessionId }), { ...options, timeout }, { restore })
    })
  )
