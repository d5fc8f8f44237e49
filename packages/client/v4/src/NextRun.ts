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
 * run may continue and cost money. A message with the status `cancelled`, `superseded` or `failed` becomes no run.
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
      : `${message} was queued, but names no run: it may continue and cost money. Do not send the message again.`
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
  /** Notes that a warning has named a message. */
  readonly onNamed: (id: string) => void
}

/** A message with its name for warnings, which says its session. */
interface Message {
  readonly id: string
  readonly queued: QueuedMessage
}

const ofSession = " of session "

/** Returns the name of a message for warnings, such as `3 of session s-1`. */
export const nameOf = (sessionId: string, id: string | number = "?"): string => id + ofSession + sessionId

/** The input of a call for one message. */
export interface OfMessage {
  readonly params: { readonly session_id: string; readonly message_id: string }
}

const paramsOf = (name: string): OfMessage => {
  const [message_id = "", session_id = ""] = name.split(ofSession)
  return { params: { session_id, message_id } }
}

/** Returns whether a message names its run, or becomes none. */
const isSettled = ({ runId, status }: QueuedMessage) => typeof runId === "string" || endings.includes(status)

/** Notes whether a message is open that a call has read or removed, or has sent: then it has no `id` yet. */
export const noting = <E, R>(
  { open }: Transport["Service"],
  call: Effect.Effect<QueuedMessage, E, R>,
  sessionId: string,
  id?: string
): typeof call =>
  Effect.map(call, (queued) => {
    const name = `message ${nameOf(sessionId, id ?? queued.id)}`
    if (id === undefined) open.set(name, { sessionId })
    if (isSettled(queued) && open.delete(name) && queued.runId) open.set(`run ${queued.runId}`, { sessionId })
    return queued
  })

/** Reads a message until it's settled. Without the operation, the response to the message is all there is. */
const untilSettled = ({ messages, transport, waiter }: Service, message: Message, options: Waiter.WaitOptions) =>
  Waiter.make({
    kind: "message",
    requestId: transport.requestId,
    budget: waiter.budget,
    check: (_, requestId) => CallOptions.poll(messages.message(paramsOf(message.id)), requestId),
    isTerminal: isSettled,
    statusOf: ({ status }) => status ?? "pending",
    retryable: (error, { answered, silent_ms }) => RetryPolicy.forWait(error, answered, silent_ms)
  }).pipe(
    Effect.flatMap((waiter) => waiter.untilTerminal(String(message.queued.id), options)),
    Effect.scoped,
    Effect.catch((error) =>
      error._tag === "OperationUnavailableError" || error._tag === "MessageNotFoundError"
        ? Effect.succeed(message.queued)
        : Effect.fail(error)
    )
  )

/**
 * Removes a message. A repeated request may be refused because the first one has removed the message and its response was
 * lost: then the message is cancelled. Otherwise, even if the message can't be read, the error is the refusal.
 */
export const remove = (
  { message, removeMessage }: Service["messages"],
  params: OfMessage,
  options?: CallChoices
): ReturnType<typeof removeMessage> =>
  removeMessage(params, options).pipe(
    Effect.catch((error) =>
      error._tag !== "ConflictError" || error.call === undefined || error.call.attempts < 2
        ? Effect.fail(error)
        : message(params, options).pipe(
            Effect.mapError(() => error),
            Effect.filterOrFail(
              ({ status }) => status === "cancelled",
              () => error
            )
          )
    )
  )

/** Removes a message, or cancels the run that it has become meanwhile. */
export const cancel = (
  { messages, waiter }: Pick<Service, "messages" | "waiter">,
  name: string
): Effect.Effect<unknown, unknown> =>
  CallOptions.forSure(remove(messages, paramsOf(name))).pipe(
    Effect.catch((error) =>
      Effect.flatMap(messages.message(paramsOf(name)), ({ runId }): Effect.Effect<unknown, unknown> =>
        typeof runId === "string" ? waiter.release(runId) : Effect.fail(error)
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
  options: OwnWaitOptions<RC> | undefined
): Effect.Effect<Run, E | NextRunUnknownError | RunError | WaitTimeoutError, RC> =>
  // no interruption between the two waits, which each report what they leave
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const began_ms = yield* Elapsed.now_ms
      const create = RetryPolicy.interruptibleOwn(
        Effect.map(send, (queued): Message => ({ id: nameOf(sessionId, queued.id), queued }))
      )
      const queued = yield* OwnWait.createAndWait(
        {
          restore,
          kind: "message",
          create,
          wait: (_, wait, message) =>
            message.queued.id === undefined || isSettled(message.queued)
              ? Effect.succeed(message.queued)
              : untilSettled(service, message, wait),
          cancel: ({ id }) => cancel(service, id),
          isCancelled: ({ status }) => status === "cancelled",
          onNamed: service.onNamed,
          isForeign: RetryPolicy.isForeign
        },
        {
          ...options,
          cancel: undefined,
          onStatus: undefined,
          ...(options?.cancel && ({ onEnd: "cancel", onAbort: "cancel" } as const))
        }
      )
      const { id } = yield* of(sessionId, queued)
      const waited_ms = (yield* Elapsed.now_ms) - began_ms
      const timeout = Math.max(0, Duration.toMillis(options?.timeout ?? "30 minutes") - waited_ms)
      // as a run that was created: what the service answers to the message are not fields of the run
      return yield* own(Effect.succeed({ id, sessionId }), { ...options, timeout }, { restore })
    })
  )
