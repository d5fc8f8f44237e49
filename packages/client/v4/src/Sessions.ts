import type { ConflictError, MessageNotFoundError, SessionNotFoundError } from "@webagent/contract"
import {
  type QueuedMessage,
  type QueuedMessages,
  type Run,
  SessionExtensions,
  type SessionInfo,
  type SessionList,
  type SessionListQuery,
  V4Operations
} from "@webagent/contract/v4"
import { deduplicateHeader } from "@webagent/contract/Wire"
import {
  type CallChoices,
  type CallError,
  CallOptions,
  ContractClient,
  type CreateError,
  type CreateOptions,
  Leaving,
  type OperationUnavailableError,
  Pages,
  Trace,
  Transport,
  type WithoutResult,
  type WithResult
} from "@webagent/core"
import type { WaitTimeoutError } from "@webagent/polling"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import type { FollowUp } from "./FollowUp.ts"
import * as NextRun from "./NextRun.ts"
import * as Outcome from "./Outcome.ts"
import * as OwnRun from "./OwnRun.ts"
import type { CreateAndWaitOptions, ListError } from "./Runs.ts"
import { type RunError, RunWaiter } from "./RunWaiter.ts"

export type { FollowUp }

/** Options of a list of sessions. */
export interface SessionListOptions extends SessionListQuery, Omit<CallChoices, "timeout"> {}

/** Errors that an operation on a session can fail with. */
export type SessionError = SessionNotFoundError | CallError | OperationUnavailableError

/** Errors that an operation on a queued message can fail with. */
export type MessageError = MessageNotFoundError | CallError | OperationUnavailableError

/** Errors that queueing a message can fail with. */
export type QueueError = SessionNotFoundError | ConflictError | CreateError

/** Options of `followUpAndWait`. */
export interface FollowUpAndWaitOptions<RC = never> extends CreateAndWaitOptions<RC> {
  /** True runs the message immediately; false, as unless told, as the next turn. */
  readonly interrupt?: boolean | undefined
  /** As for `queue`. */
  readonly deduplicate?: FollowUp["deduplicate"]
}

/** Errors that a follow-up and its wait can fail with. */
export type FollowUpError = QueueError | NextRun.NextRunUnknownError | RunError | WaitTimeoutError

const make = Effect.gen(function* () {
  const { sessions: api } = yield* ContractClient.make("v4", V4Operations)
  const optional = yield* ContractClient.makeOptional("v4", "Sessions", SessionExtensions)
  const waiter = yield* RunWaiter
  const transport = yield* Transport
  const own = OwnRun.make(waiter)
  const noting =
    <E>(call: (input: NextRun.OfMessage, options?: CallChoices) => Effect.Effect<QueuedMessage, E>): typeof call =>
    (input, options) =>
      NextRun.noting(transport, call(input, options), input.params.session_id, input.params.message_id)
  const messages = { message: noting(optional.message), removeMessage: noting(optional.removeMessage) }
  const onNamed = yield* Leaving.onInterrupt("message", (id) => NextRun.cancel({ messages, waiter }, id))

  const send = (sessionId: string, { deduplicate, interrupt = false, text }: FollowUp, options?: CreateOptions) => {
    const header =
      deduplicate === undefined ? {} : { headers: { ...options?.headers, [deduplicateHeader]: deduplicate } }
    const queued = api.queue({ params: { session_id: sessionId }, payload: { text, interrupt } })
    return NextRun.noting(transport, CallOptions.provide({ ...options, ...header })(queued), sessionId)
  }

  const traced = (name: string, sessionId: string) =>
    Trace.span(`v4.Sessions.${name}`, { attributes: { "session.id": sessionId } })

  const next = (sessionId: string, followUp: FollowUp, options?: CreateOptions) =>
    Effect.flatMap(send(sessionId, followUp, options), (queued) => NextRun.of(sessionId, queued))

  const followUpAndWait = ((
    sessionId: string,
    text: string,
    options?: FollowUpAndWaitOptions<unknown> & Partial<WithResult<unknown, unknown>>
  ) =>
    NextRun.queueAndWait(
      { messages, waiter, transport, onNamed },
      own,
      sessionId,
      send(sessionId, { text, interrupt: options?.interrupt, deduplicate: options?.deduplicate }),
      options
    ).pipe(
      CallOptions.provideToWait(options),
      Outcome.as(options?.result),
      traced("followUpAndWait", sessionId)
    )) as Sessions["Service"]["followUpAndWait"]

  const ofSession = (sessionId: string) => ({ params: { session_id: sessionId } })
  const ofMessage = (sessionId: string, id: string | number) => ({
    params: { session_id: sessionId, message_id: typeof id === "number" ? String(id) : id }
  })

  return Sessions.of({
    ...Pages.make<SessionListQuery>()(optional.list, ({ sessions }) => sessions, Pages.nextCursor),
    get: (id, options) => optional.get(ofSession(id), options),
    purge: (id, options) => Effect.tap(optional.purge(ofSession(id), options), Leaving.closeSession(transport, id)),
    messages: (id, options) => optional.messages(ofSession(id), options),
    message: (id, message, options) => messages.message(ofMessage(id, message), options),
    removeMessage: (id, message, options) => NextRun.remove(messages, ofMessage(id, message), options),
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
     * Lists sessions, newest first. Pages are read while you take sessions from the stream.
     *
     * @param options - `limit` is the number of sessions per page, from 1 to 100. `cursor` continues after a page that
     *   `listPage` has read.
     * @returns A stream of sessions. Each page is one request.
     * @throws `OperationUnavailableError` if the service doesn't list sessions.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v4"
     * import * as Stream from "effect/Stream"
     *
     * export const latest = Sessions.use((sessions) => sessions.list().pipe(Stream.take(10), Stream.runCollect))
     * ```
     */
    readonly list: (options?: SessionListOptions) => Stream.Stream<SessionInfo, ListError>
    /**
     * Reads one page of `list`. Pass its `nextCursor` as the `cursor` of the next one while `hasMore` isn't false.
     *
     * @param options - The same as for `list`.
     * @returns The sessions of the page, with `nextCursor` and `hasMore`.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v4"
     *
     * export const program = Sessions.use((sessions) => sessions.listPage({ limit: 20 }))
     * ```
     */
    readonly listPage: (options?: SessionListOptions & CallChoices) => Effect.Effect<SessionList, ListError>
    /**
     * Reads a session, with the task, title and status of its latest run.
     *
     * @param id - The id of the session.
     * @param options - Headers, a request id and retries of this call.
     * @returns The session as it is now.
     * @throws `SessionNotFoundError` if the service has no session with this id, and `OperationUnavailableError` if it
     *   can't read single sessions.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v4"
     *
     * export const program = Sessions.use((sessions) => sessions.get("489b"))
     * ```
     */
    readonly get: (id: string, options?: CallChoices) => Effect.Effect<SessionInfo, SessionError>
    /**
     * Deletes all data of a session. A running session is stopped first. It can't be undone.
     *
     * @param id - The id of the session.
     * @param options - Headers, a request id and retries of this call.
     * @returns Nothing, once the data is deleted.
     * @throws `ConflictError` if the agent hasn't released the session within 10 seconds. The session is stopped then, so
     *   purge it again.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v4"
     *
     * export const program = Sessions.use((sessions) => sessions.purge("489b"))
     * ```
     */
    readonly purge: (id: string, options?: CallChoices) => Effect.Effect<void, SessionError | ConflictError>
    /**
     * Reads the pending messages of a session, in the order in which they run.
     *
     * @param id - The id of the session.
     * @param options - Headers, a request id and retries of this call.
     * @returns The messages that have not become runs.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v4"
     *
     * export const program = Sessions.use((sessions) => sessions.messages("489b"))
     * ```
     */
    readonly messages: (id: string, options?: CallChoices) => Effect.Effect<QueuedMessages, SessionError>
    /**
     * Reads a queued message. Its `runId` is null until it becomes a run.
     *
     * @param sessionId - The id of the session.
     * @param id - The id of the message.
     * @param options - Headers, a request id and retries of this call.
     * @returns The message, with its `runId` once it is a run.
     * @throws `MessageNotFoundError` if the session has no message with this id.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v4"
     *
     * export const program = Sessions.use((sessions) => sessions.message("489b", 1))
     * ```
     */
    readonly message: (
      sessionId: string,
      id: string | number,
      options?: CallChoices
    ) => Effect.Effect<QueuedMessage, MessageError>
    /**
     * Removes a pending message, so that it doesn't become a run. The request is retried if its response is lost. If the
     * retry doesn't find the message, the call succeeds with an empty record.
     *
     * @param sessionId - The id of the session.
     * @param id - The id of the message.
     * @param options - Headers, a request id and retries of this call.
     * @returns The removed message.
     * @throws `ConflictError` if the message isn't pending any more.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v4"
     * import * as Effect from "effect/Effect"
     *
     * export const clear = (sessionId: string) =>
     *   Sessions.use((sessions) =>
     *     Effect.flatMap(sessions.messages(sessionId), ({ queue }) =>
     *       Effect.forEach(queue, ({ id = "" }) => sessions.removeMessage(sessionId, id))
     *     )
     *   )
     * ```
     */
    readonly removeMessage: (
      sessionId: string,
      id: string | number,
      options?: CallChoices
    ) => Effect.Effect<QueuedMessage, MessageError | ConflictError>
    /**
     * Queues a message for a session. The message becomes a run, so it's sent once, like a create.
     *
     * @param sessionId - The id of the session.
     * @param message - The text. With `interrupt: true` it runs immediately instead of next.
     * @param options - An idempotency key, and headers and retries of this call.
     * @returns The queued message, with its `runId` if it is a run already.
     * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
     * @throws `TransportError` if the service can't be reached, and errors of the service such as `UnauthorizedError`.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v4"
     *
     * export const program = Sessions.use((sessions) => sessions.queue("489b", { text: "Now the same for June" }))
     * ```
     */
    readonly queue: (
      sessionId: string,
      message: FollowUp,
      options?: CreateOptions
    ) => Effect.Effect<QueuedMessage, QueueError>
    /**
     * Queues a message as the next run of a session.
     *
     * @param sessionId - The id of the session.
     * @param text - The task of the next run.
     * @param options - An idempotency key, and headers and retries of this call.
     * @returns The run that the message becomes.
     * @throws `NextRunUnknownError` if the response has no `runId`. Don't send the message again.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v4"
     *
     * export const program = Sessions.use((sessions) => sessions.followUp("489b", "Now the same for June"))
     * ```
     */
    readonly followUp: (
      sessionId: string,
      text: string,
      options?: CreateOptions
    ) => Effect.Effect<NextRun.NextRun, QueueError | NextRun.NextRunUnknownError>
    /**
     * Sends a message that interrupts the current run of a session and runs immediately.
     *
     * @param sessionId - The id of the session.
     * @param text - The task of the next run.
     * @param options - An idempotency key, and headers and retries of this call.
     * @returns The run that the message becomes.
     * @throws `NextRunUnknownError` if the response has no `runId`. Don't send the message again.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v4"
     *
     * export const program = Sessions.use((sessions) => sessions.interrupt("489b", "Stop, and book the first one"))
     * ```
     */
    readonly interrupt: (
      sessionId: string,
      text: string,
      options?: CreateOptions
    ) => Effect.Effect<NextRun.NextRun, QueueError | NextRun.NextRunUnknownError>
    /**
     * Queues a message and waits for the run that it becomes, like `createAndWait` of runs. While the message is pending
     * and has no run yet, the message is read.
     *
     * @param sessionId - The id of the session.
     * @param text - The task of the next run.
     * @param options - `timeout` limits the wait: 30 minutes by default. `interrupt: true` runs the message immediately.
     * @returns The finished run. With `result`, its result has the type of the schema.
     * @throws `WaitTimeoutError` if the run doesn't finish in time.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v4"
     *
     * export const program = Sessions.use((sessions) => sessions.followUpAndWait("489b", "Now the same for June"))
     * ```
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
