import type { ConflictError, ShareNotFoundError } from "@webagent/contract"
import {
  isTerminalTaskStatus,
  type SessionCreate,
  SessionExtensions,
  type SessionItemView,
  type SessionList,
  type SessionListQuery,
  type SessionView,
  type ShareView,
  V2Operations
} from "@webagent/contract/v2"
import {
  type CallChoices,
  type CallError,
  CallOptions,
  ContractClient,
  type CreateError,
  type CreateOptions,
  Leaving,
  Ledger,
  type OperationUnavailableError,
  Pages,
  RetryPolicy,
  Trace,
  Transport
} from "@webagent/core"
import { OwnWait, Waiter, type WaitTimeoutError } from "@webagent/polling"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import { make as makeWaiter, type SessionError } from "./SessionWaiter.ts"

/** Options of watching a session. */
export interface SessionWatchOptions extends Waiter.WaitOptions, Omit<CallChoices, "timeout"> {}

/** Options of a wait for a session. */
export interface SessionWaitOptions extends SessionWatchOptions, OwnWait.EndOptions {}

/** Options of a list of sessions, whose pages have numbers. */
export interface SessionListOptions extends SessionListQuery, Omit<CallChoices, "timeout"> {}

/** Errors that listing sessions can fail with. */
export type SessionListError = CallError | OperationUnavailableError

/** Errors that an operation on a session, which a service may lack, can fail with. */
export type SessionOptionalError = SessionError | OperationUnavailableError

/** Creates that cost nothing, so that they don't have to be found and stopped. */
const free = <A, E, R>(create: Effect.Effect<A, E, R>) => Effect.provideService(create, Ledger.Current, Ledger.none)

const make = Effect.gen(function* () {
  const { sessions: api } = yield* ContractClient.make("v2", V2Operations)

  const optional = yield* ContractClient.makeOptional("v2", "Sessions", SessionExtensions)
  const transport = yield* Transport
  const { closed, onPoll, open, retry } = transport

  const ofSession = (id: string) => ({ params: { session_id: id } })

  /** Removes the finished tasks of this client from the ledger. */
  const settle = <E>(read: Effect.Effect<SessionView, E>) =>
    Effect.tap(read, ({ tasks }) =>
      Effect.forEach(
        tasks.filter(({ id, status }) => open.has(`task ${id}`) && isTerminalTaskStatus(status)),
        ({ id }) => closed("task", id),
        { discard: true }
      )
    )

  const read = (id: string) => settle(api.get(ofSession(id)))
  const waiter = yield* makeWaiter((id) =>
    Effect.tap(read(id), ({ status }) => Effect.sync(() => onPoll({ kind: "session", id, status })))
  )

  const get = (id: string, options?: CallChoices) => traced("get", id, CallOptions.provide(options)(read(id)))

  // stopping twice is stopping
  const stop = (id: string, options?: CallChoices) =>
    settle(retry(optional.update({ ...ofSession(id), payload: { action: "stop" } }, options)))

  const own = (id: string, options: SessionWaitOptions) =>
    OwnWait.createAndWait(
      {
        kind: "session",
        create: () => Effect.succeed({ id }),
        wait: waiter.untilTerminal,
        cancel: () => CallOptions.forSure(stop(id)),
        isForeign: RetryPolicy.isForeign
      },
      options
    )

  const untilTerminal = (id: string, options?: SessionWaitOptions) => {
    const wait = Waiter.atOnce(options)
    const isOwn = (options?.onEnd ?? options?.onAbort) !== undefined
    return traced(
      "untilTerminal",
      id,
      CallOptions.provideToWait(options)(isOwn ? own(id, wait) : waiter.untilTerminal(id, wait))
    )
  }

  const watch = (id: string, options?: SessionWatchOptions) =>
    waiter
      .watch(id, Waiter.atOnce(options))
      .pipe(
        CallOptions.provideToWatch(options),
        Trace.streamSpan("v2.Sessions.watch", { attributes: { "session.id": id } })
      )

  return Sessions.of({
    get,
    untilTerminal,
    watch,
    ...Pages.make<SessionListQuery>()(optional.list, ({ items }) => items, Pages.nextNumber),
    stop,
    create: (input = {}, options) => free(optional.create({ payload: input }, options)),
    delete: (id, options) => Effect.tap(optional.delete(ofSession(id), options), Leaving.closeSession(transport, id)),
    purge: (id, options) => Effect.tap(optional.purge(ofSession(id), options), Leaving.closeSession(transport, id)),
    getShare: (id, options) => optional.getShare(ofSession(id), options),
    share: (id, options) => free(optional.share(ofSession(id), options)),
    unshare: (id, options) => optional.unshare(ofSession(id), options)
  })
})

const traced = <A, E, R>(name: string, id: string, effect: Effect.Effect<A, E, R>) =>
  Trace.span(`v2.Sessions.${name}`, { attributes: { "session.id": id } })(effect)

/**
 * The browser sessions of API v2, with their tasks.
 *
 * @example
 * ```ts
 * import { Sessions, V2 } from "@webagent/v2"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Effect.gen(function* () {
 *   const sessions = yield* Sessions
 *   const session = yield* sessions.untilTerminal("6f9619ff-8b86-4d11-b42d-00c04fc964ff")
 *   return session.tasks.map((task) => task.output)
 * }).pipe(Effect.provide(V2.layer()))
 * ```
 */
export class Sessions extends Context.Service<
  Sessions,
  {
    /**
     * Reads a session with its tasks.
     *
     * @param id - A UUID. Any other id is refused before a request is sent.
     * @param options - Headers, a request id and retries of this call.
     * @returns The session with its tasks.
     * @throws `SessionNotFoundError` if the service has no session with this id, and `TransportError` if it can't be reached.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v2"
     *
     * export const program = Sessions.use((sessions) => sessions.get("bccfc2ba-1455-4856-a1de-93eb612ebb15"))
     * ```
     */
    readonly get: (id: string, options?: CallChoices) => Effect.Effect<SessionView, SessionError>
    /**
     * Waits until every task of a session is done, or until a session without tasks is stopped.
     *
     * @param id - A UUID. Any other id is refused before a request is sent.
     * @param options - `timeout` limits the wait: 30 minutes by default. With `onEnd: "cancel"`, the session and its tasks
     *   are stopped if the wait ends first, and with `onAbort: "cancel"` if the wait is interrupted.
     * @returns The session, in which every task is done.
     * @throws `WaitTimeoutError` if a task isn't done in time. Wait again with the `id`.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v2"
     *
     * export const program = Sessions.use((sessions) => sessions.untilTerminal("bccfc2ba-1455-4856-a1de-93eb612ebb15"))
     * ```
     */
    readonly untilTerminal: (
      id: string,
      options?: SessionWaitOptions
    ) => Effect.Effect<SessionView, SessionError | WaitTimeoutError>
    /**
     * Lists sessions without their tasks, newest first. Pages are read while you take sessions from the stream.
     *
     * @param options - `filterBy` is a status, such as `active`. `pageSize` is the number of sessions per page, from 1 to
     *   100, and `pageNumber` the page to start with.
     * @returns A stream of sessions. Each page is one request.
     * @throws `OperationUnavailableError` if the service doesn't list sessions.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v2"
     * import * as Stream from "effect/Stream"
     *
     * export const program = Sessions.use((sessions) => Stream.runCollect(sessions.list({ filterBy: "active" })))
     * ```
     */
    readonly list: (options?: SessionListOptions) => Stream.Stream<SessionItemView, SessionListError>
    /**
     * Reads one page of `list`. `totalItems` is the number of sessions on all pages.
     *
     * @param options - The same as for `list`.
     * @returns The sessions of the page, and `totalItems`.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v2"
     *
     * export const program = Sessions.use((sessions) => sessions.listPage({ pageNumber: 2 }))
     * ```
     */
    readonly listPage: (options?: SessionListOptions & CallChoices) => Effect.Effect<SessionList, SessionListError>
    /**
     * Stops a session and its tasks. The request is retried if the service can't be reached.
     *
     * @param id - A UUID. Any other id is refused before a request is sent.
     * @param options - Headers, a request id and retries of this call.
     * @returns The stopped session.
     * @throws `OperationUnavailableError` if the service can't stop sessions.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v2"
     *
     * export const program = Sessions.use((sessions) => sessions.stop("bccfc2ba-1455-4856-a1de-93eb612ebb15"))
     * ```
     */
    readonly stop: (id: string, options?: CallChoices) => Effect.Effect<SessionView, SessionOptionalError>
    /**
     * Creates a session without tasks. Add them with `tasks.create` and its id.
     *
     * @param input - Settings of the session, such as a profile.
     * @param options - An idempotency key, and headers and retries of this call.
     * @returns The created session, without tasks.
     * @throws `OperationUnavailableError` if the service creates sessions with their first task only.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v2"
     *
     * export const program = Sessions.use((sessions) => sessions.create())
     * ```
     */
    readonly create: (
      input?: SessionCreate,
      options?: CreateOptions
    ) => Effect.Effect<SessionItemView, CreateError | OperationUnavailableError>
    /**
     * Deletes a session with its tasks. A running session is stopped first. It can't be undone.
     *
     * @param id - A UUID. Any other id is refused before a request is sent.
     * @param options - Headers, a request id and retries of this call.
     * @returns Nothing, once the session is deleted.
     * @throws `ConflictError` if the agent hasn't released the session within 10 seconds. The session is stopped then, so
     *   delete it again.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v2"
     *
     * export const program = Sessions.use((sessions) => sessions.delete("bccfc2ba-1455-4856-a1de-93eb612ebb15"))
     * ```
     */
    readonly delete: (id: string, options?: CallChoices) => Effect.Effect<void, SessionOptionalError | ConflictError>
    /**
     * Deletes a session with its tasks, as `delete` does, at services that have both. A running session is stopped first.
     *
     * @param id - A UUID. Any other id is refused before a request is sent.
     * @param options - Headers, a request id and retries of this call.
     * @returns Nothing, once the session is deleted.
     * @throws `ConflictError` if the agent hasn't released the session within 10 seconds. The session is stopped then, so
     *   purge it again.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v2"
     *
     * export const program = Sessions.use((sessions) => sessions.purge("bccfc2ba-1455-4856-a1de-93eb612ebb15"))
     * ```
     */
    readonly purge: (id: string, options?: CallChoices) => Effect.Effect<void, SessionOptionalError | ConflictError>
    /**
     * Reads the public share of a session.
     *
     * @param id - A UUID. Any other id is refused before a request is sent.
     * @param options - Headers, a request id and retries of this call.
     * @returns The share with its `shareUrl`.
     * @throws `ShareNotFoundError` if the session isn't shared, or the service has no session with this id.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v2"
     *
     * export const program = Sessions.use((sessions) => sessions.getShare("bccfc2ba-1455-4856-a1de-93eb612ebb15"))
     * ```
     */
    readonly getShare: (
      id: string,
      options?: CallChoices
    ) => Effect.Effect<ShareView, SessionListError | ShareNotFoundError>
    /**
     * Shares a session: everyone with its `shareUrl` can read it, without an API key.
     *
     * @param id - A UUID. Any other id is refused before a request is sent.
     * @param options - An idempotency key, and headers and retries of this call.
     * @returns The share with its `shareUrl`.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v2"
     *
     * export const program = Sessions.use((sessions) => sessions.share("bccfc2ba-1455-4856-a1de-93eb612ebb15"))
     * ```
     */
    readonly share: (
      id: string,
      options?: CreateOptions
    ) => Effect.Effect<ShareView, CreateError | SessionOptionalError>
    /**
     * Ends the public share of a session, so that its link shows nothing any more.
     *
     * @param id - A UUID. Any other id is refused before a request is sent.
     * @param options - Headers, a request id and retries of this call.
     * @returns Nothing, once the link is closed.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v2"
     *
     * export const program = Sessions.use((sessions) => sessions.unshare("bccfc2ba-1455-4856-a1de-93eb612ebb15"))
     * ```
     */
    readonly unshare: (id: string, options?: CallChoices) => Effect.Effect<void, SessionOptionalError>
    /**
     * Emits a session whenever its status or the status of a task changes. The last one is final.
     *
     * @param id - A UUID. Any other id is refused before a request is sent.
     * @param options - `timeout` limits the wait: 30 minutes by default.
     * @returns A stream of sessions that ends when every task is done.
     * @throws `WaitTimeoutError` if a task isn't done in time.
     * @example
     * ```ts
     * import { Sessions } from "@webagent/v2"
     * import * as Stream from "effect/Stream"
     *
     * export const program = Sessions.use((sessions) => Stream.runLast(sessions.watch("bccfc2ba-1455-4856-a1de-93eb612ebb15")))
     * ```
     */
    readonly watch: (
      id: string,
      options?: SessionWatchOptions
    ) => Stream.Stream<SessionView, SessionError | WaitTimeoutError>
  }
>()("@webagent/v2/Sessions") {
  static readonly layer: Layer.Layer<Sessions, never, Transport> = Layer.effect(this, make)
}
