import type { BadCursorError, ConflictError } from "@webagent/contract"
import {
  type Session,
  type SessionCreate,
  SessionExtensions,
  type SessionList,
  type SessionListQuery,
  type SessionMessages,
  type SessionMessagesQuery,
  type SessionStop,
  V3Operations
} from "@webagent/contract/v3"
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
  RetryPolicy,
  Trace,
  Transport,
  type WithoutResult,
  type WithResult
} from "@webagent/core"
import { OwnWait, Waiter, type WaitTimeoutError } from "@webagent/polling"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import * as Outcome from "./Outcome.ts"
import { isAbsent, isTerminal, make as makeWaiter, type SessionError } from "./SessionWaiter.ts"

/** Errors that creating a session and waiting for it can fail with. */
export type SessionEndError = CreateError | SessionError | WaitTimeoutError

/** Options of `createAndWait`. */
export interface CreateAndWaitOptions<RC = never>
  extends OwnWait.OwnWaitOptions<Session, RC, Session>, Omit<CreateOptions, "timeout"> {}

/** Options of watching a session. */
export interface SessionWatchOptions extends Waiter.WaitOptions, Omit<CallChoices, "timeout"> {}

/** Options of a wait for a session. */
export interface SessionWaitOptions extends SessionWatchOptions, OwnWait.EndOptions {}

/** Options of a list of sessions, whose pages have numbers. */
export interface SessionListOptions extends SessionListQuery, Omit<CallChoices, "timeout"> {}

/** Options of reading the messages of a session. */
export interface SessionMessagesOptions extends SessionMessagesQuery, CallChoices {}

/** Errors that an operation which the description doesn't show can fail with. */
export type SessionOptionalError = SessionError | OperationUnavailableError

/** The query of the next page, until all sessions were read or a page has none. */
const nextPage = (
  { pageSize, sessions, total }: SessionList,
  query: SessionListQuery
): SessionListQuery | undefined => {
  const page = query.page ?? 1
  const size = pageSize ?? query.page_size ?? sessions.length
  return sessions.length === 0 || (total !== undefined && page * size >= total)
    ? undefined
    : { ...query, page: page + 1 }
}

const make = Effect.gen(function* () {
  const { sessions: api } = yield* ContractClient.make("v3", V3Operations)
  const optional = yield* ContractClient.makeOptional("v3", "Sessions", SessionExtensions)
  const { closed, grace, onPoll } = yield* Transport

  const read = (id: string) => api.get({ params: { session_id: id } })
  /** Removes a finished session from the ledger. */
  const settled = (session: Session) => (isTerminal(session) ? closed("session", session.id) : Effect.void)
  const waiter = yield* makeWaiter(
    (id) =>
      read(id).pipe(
        Effect.tap(settled),
        Effect.tap(({ status }) => Effect.sync(() => onPoll({ kind: "session", id, status })))
      ),
    grace.isFresh
  )

  const create = (input: SessionCreate, options?: CreateOptions) =>
    api.create({ payload: input }).pipe(CallOptions.provide(options), Trace.span("v3.Sessions.create"))

  const ofSession = (id: string) => ({ params: { session_id: id } })
  const stop = (id: string, input: SessionStop = {}, options?: CallChoices) =>
    Effect.tap(optional.stop({ ...ofSession(id), payload: input }, options), settled)

  const release = (id: string) => CallOptions.forSure(stop(id))
  const onNamed = yield* Leaving.onInterrupt("session", release)

  const own = <E, RC>(
    create: Effect.Effect<Session, E>,
    options?: OwnWait.OwnWaitOptions<Session, RC, Session> & { readonly result?: unknown }
  ) =>
    OwnWait.createAndWait<Session, Session, E, SessionError, RC, Session>(
      {
        kind: "session",
        create: RetryPolicy.interruptibleOwn(create),
        wait: (id, options) => Effect.tap(waiter.untilTerminal(id, options), settled),
        cancel: ({ id }) => release(id),
        isCancelled: (session) => options?.result !== undefined && Outcome.of(session)._tag === "NoResult",
        onNamed,
        isForeign: RetryPolicy.isForeign
      },
      options
    )

  const untilTerminal = ((id: string, options?: SessionWaitOptions & Partial<WithResult<unknown, unknown>>) => {
    const isOwn = (options?.onEnd ?? options?.onAbort) !== undefined
    const wait = Waiter.atOnce(options)
    return (
      isOwn ? own(Effect.succeed<Session>({ id }), wait) : Effect.tap(waiter.untilTerminal(id, wait), settled)
    ).pipe(
      CallOptions.provideToWait(options),
      Outcome.as(options?.result),
      Trace.span("v3.Sessions.untilTerminal", { attributes: { "session.id": id } })
    )
  }) as Sessions["Service"]["untilTerminal"]

  const createAndWait = ((
    input: SessionCreate,
    options?: CreateAndWaitOptions<unknown> & Partial<WithResult<unknown, unknown>>
  ) =>
    own(create(input), options).pipe(
      CallOptions.provideToWait(options),
      Outcome.as(options?.result),
      Trace.span("v3.Sessions.createAndWait")
    )) as Sessions["Service"]["createAndWait"]

  return Sessions.of({
    create,
    get: (id, options) =>
      grace
        .forgive(id, read(id), isAbsent)
        .pipe(
          Effect.tap(settled),
          CallOptions.provide(options),
          Trace.span("v3.Sessions.get", { attributes: { "session.id": id } })
        ),
    ...Pages.make<SessionListQuery>()(optional.list, ({ sessions }) => sessions, nextPage),
    stop,
    delete: (id, options) =>
      Effect.tap(optional.delete(ofSession(id), options), () => {
        grace.forget(id)
        return closed("session", id)
      }),
    messages: (id, options) => {
      const { after, before, limit, ...choices } = options ?? {}
      return optional.messages({ ...ofSession(id), query: { after, before, limit } }, choices)
    },
    untilTerminal,
    createAndWait,
    watch: (id, options) =>
      waiter
        .watch(id, Waiter.atOnce(options))
        .pipe(
          CallOptions.provideToWatch(options),
          Trace.streamSpan("v3.Sessions.watch", { attributes: { "session.id": id } })
        )
  })
})

/**
 * The sessions of API v3: created from a task, read until their result is there.
 *
 * @example
 * ```ts
 * import { Sessions, V3 } from "@webagent/v3"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Effect.gen(function* () {
 *   const sessions = yield* Sessions
 *   const session = yield* sessions.createAndWait({ task: "Find the cheapest direct flight from Oslo to Rome" })
 *   return session.result
 * }).pipe(Effect.provide(V3.layer()))
 * ```
 */
export class Sessions extends Context.Service<
  Sessions,
  {
    /**
     * Creates a session from a task, and doesn't wait for its result. The request is sent once.
     *
     * @param input - The task, and options of the session.
     * @param options - An idempotency key, and headers and retries of this call.
     * @returns The created session. Only its `id` is certain.
     * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
     * @throws `TransportError` if the service can't be reached, and errors of the service such as `UnauthorizedError`.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v3"
     *
     * export const program = Sessions.use((sessions) => sessions.create({ task: "Find a red mug" }))
     * ```
     */
    readonly create: (input: SessionCreate, options?: CreateOptions) => Effect.Effect<Session, CreateError>
    /**
     * Reads a session. It has a result once its task is done.
     *
     * @param id - The id of the session.
     * @param options - Headers, a request id and retries of this call.
     * @returns The session as it is now.
     * @throws `SessionNotFoundError` if the service has no session with this id, and `TransportError` if it can't be reached.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v3"
     *
     * export const program = Sessions.use((sessions) => sessions.get("489b"))
     * ```
     */
    readonly get: (id: string, options?: CallChoices) => Effect.Effect<Session, SessionError>
    /**
     * Lists sessions, newest first. Pages are read while you take sessions from the stream.
     *
     * @param options - `page_size` is the number of sessions per page, from 1 to 100, and `page` the page to start with.
     * @returns A stream of sessions. Each page is one request.
     * @throws `OperationUnavailableError` if the service doesn't list sessions.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v3"
     * import * as Stream from "effect/Stream"
     *
     * export const latest = Sessions.use((sessions) => sessions.list().pipe(Stream.take(10), Stream.runCollect))
     * ```
     */
    readonly list: (options?: SessionListOptions) => Stream.Stream<Session, CallError | OperationUnavailableError>
    /**
     * Reads one page of `list`. `total` is the number of sessions on all pages.
     *
     * @param options - The same as for `list`.
     * @returns The sessions of the page, and `total`.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v3"
     *
     * export const program = Sessions.use((sessions) => sessions.listPage({ page: 2 }))
     * ```
     */
    readonly listPage: (
      options?: SessionListOptions & CallChoices
    ) => Effect.Effect<SessionList, CallError | OperationUnavailableError>
    /**
     * Stops a session for good, with its tasks. With the strategy `task`, its tasks are canceled and the session stays.
     * Repeating the call does no harm, so the request is retried if the service can't be reached.
     *
     * @param id - The id of the session.
     * @param input - The strategy: `session` by default, or `task`.
     * @param options - Headers, a request id and retries of this call.
     * @returns The session as the service shows it after the request.
     * @throws `SessionNotFoundError` if the service has no session with this id, and `OperationUnavailableError` if it
     *   can't stop sessions.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v3"
     *
     * export const program = Sessions.use((sessions) => sessions.stop("5f2e", { strategy: "task" }))
     * ```
     */
    readonly stop: (
      id: string,
      input?: SessionStop,
      options?: CallChoices
    ) => Effect.Effect<Session, SessionOptionalError>
    /**
     * Deletes a session with its data. A running session is stopped first. It can't be undone.
     *
     * @param id - The id of the session.
     * @param options - Headers, a request id and retries of this call.
     * @returns Nothing, once the session is deleted.
     * @throws `ConflictError` if the agent hasn't released the session within 10 seconds. The session is stopped then, so
     *   delete it again.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v3"
     *
     * export const program = Sessions.use((sessions) => sessions.delete("489b"))
     * ```
     */
    readonly delete: (id: string, options?: CallChoices) => Effect.Effect<void, SessionOptionalError | ConflictError>
    /**
     * Reads messages of a session, oldest first: its tasks, and the steps of the agent.
     *
     * @param id - The id of the session.
     * @param options - `after` or `before` is the id of a message. `limit` is the number of messages, from 1 to 100.
     * @returns The messages, and whether there are more.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v3"
     *
     * export const program = Sessions.use((sessions) => sessions.messages("489b", { limit: 20 }))
     * ```
     */
    readonly messages: (
      id: string,
      options?: SessionMessagesOptions
    ) => Effect.Effect<SessionMessages, SessionOptionalError | BadCursorError>
    /**
     * Waits until a session is done. A session that failed is a value unless you pass `result`.
     *
     * @param id - The id of the session.
     * @param options - `timeout` limits the wait: 30 minutes by default. `result` is a schema that checks and types the result.
     * @returns The session with its result.
     * @throws `WaitTimeoutError` if it isn't done in time. Wait again with its `id`.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v3"
     *
     * export const program = Sessions.use((sessions) => sessions.untilTerminal("489b"))
     * ```
     */
    readonly untilTerminal: {
      (
        id: string,
        options?: SessionWaitOptions & WithoutResult
      ): Effect.Effect<Session, SessionError | WaitTimeoutError>
      <A, RD = never>(
        id: string,
        options: SessionWaitOptions & WithResult<A, RD>
      ): Effect.Effect<Outcome.CompletedSession<A>, SessionError | WaitTimeoutError | Outcome.NoResultError, RD>
    }
    /**
     * Creates a session and waits for its result.
     *
     * If the wait stops first, the session continues on the service. Pass `onEnd: "cancel"` to stop it as well, or
     * `onAbort: "cancel"` to stop it only if the effect is interrupted.
     *
     * @param input - The task.
     * @param options - `timeout` limits the wait: 30 minutes by default. `result` is a schema that checks and types the
     *   result. `onStatus` receives the session whenever its status is new.
     * @returns The session with its result.
     * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
     * @throws `WaitTimeoutError` if the session isn't done in time. Wait again with its `id`.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v3"
     *
     * export const program = Sessions.use((sessions) => sessions.createAndWait({ task: "Find a red mug" }))
     * ```
     */
    readonly createAndWait: {
      <RC = never>(
        input: SessionCreate,
        options?: CreateAndWaitOptions<RC> & WithoutResult
      ): Effect.Effect<Session, SessionEndError, RC>
      <A, RD = never, RC = never>(
        input: SessionCreate,
        options: CreateAndWaitOptions<RC> & WithResult<A, RD>
      ): Effect.Effect<Outcome.CompletedSession<A>, SessionEndError | Outcome.NoResultError, RD | RC>
    }
    /**
     * Emits a session whenever its status changes. The last one is final.
     *
     * @param id - The id of the session.
     * @param options - `timeout` limits the wait: 30 minutes by default.
     * @returns A stream of sessions that ends after the final status.
     * @throws `WaitTimeoutError` if the session isn't done in time.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v3"
     * import * as Stream from "effect/Stream"
     *
     * export const program = Sessions.use((sessions) => Stream.runLast(sessions.watch("489b")))
     * ```
     */
    readonly watch: (
      id: string,
      options?: SessionWatchOptions
    ) => Stream.Stream<Session, SessionError | WaitTimeoutError>
  }
>()("@webagent/v3/Sessions") {
  static readonly layer: Layer.Layer<Sessions, never, Transport> = Layer.effect(this, make)
}
