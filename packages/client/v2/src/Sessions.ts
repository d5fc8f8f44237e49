import {
  SessionExtensions,
  type SessionItemView,
  type SessionList,
  type SessionListQuery,
  type SessionView,
  V2Operations
} from "@webagent/contract/v2"
import {
  type CallChoices,
  type CallError,
  CallOptions,
  ContractClient,
  type OperationUnavailableError,
  Pages,
  Trace,
  Transport
} from "@webagent/core"
import { Waiter, type WaitTimeoutError } from "@webagent/polling"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import { make as makeWaiter, type SessionError } from "./SessionWaiter.ts"

/** Options of a wait for a session. */
export interface SessionWaitOptions extends Waiter.WaitOptions, Omit<CallChoices, "timeout"> {}

/** Options of a list of sessions, whose pages have numbers. */
export interface SessionListOptions extends SessionListQuery, Omit<CallChoices, "timeout"> {}

/** Errors that listing sessions can fail with. */
export type SessionListError = CallError | OperationUnavailableError

const make = Effect.gen(function* () {
  const { sessions: api } = yield* ContractClient.make("v2", V2Operations)

  const optional = yield* ContractClient.makeOptional("v2", "Sessions", SessionExtensions)
  const { onPoll, retry } = yield* Transport

  const read = (id: string) => api.get({ params: { session_id: id } })
  const waiter = yield* makeWaiter((id) =>
    Effect.tap(read(id), ({ status }) => Effect.sync(() => onPoll({ kind: "session", id, status })))
  )

  const get = (id: string, options?: CallChoices) => traced("get", id, CallOptions.provide(options)(read(id)))

  const untilTerminal = (id: string, options?: SessionWaitOptions) =>
    traced("untilTerminal", id, CallOptions.provideToWait(options)(waiter.untilTerminal(id, Waiter.atOnce(options))))

  const watch = (id: string, options?: SessionWaitOptions) =>
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
    // stopping twice is stopping
    stop: (id, options) => retry(optional.update({ params: { session_id: id }, payload: { action: "stop" } }, options))
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
     * @throws `SessionNotFoundError` if the service has no session with this id, and `TransportError` if it can't be reached.
     */
    readonly get: (id: string, options?: CallChoices) => Effect.Effect<SessionView, SessionError>
    /**
     * Waits until every task of a session is done, or until a session without tasks is stopped.
     *
     * @param options - `timeout` limits the wait: 30 minutes by default.
     * @throws `WaitTimeoutError` if a task isn't done in time. Wait again with the `id`.
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
     * @throws `OperationUnavailableError` if the service doesn't list sessions.
     */
    readonly list: (options?: SessionListOptions) => Stream.Stream<SessionItemView, SessionListError>
    /** Reads one page of `list`. `totalItems` is the number of sessions on all pages. */
    readonly listPage: (options?: SessionListOptions & CallChoices) => Effect.Effect<SessionList, SessionListError>
    /**
     * Stops a session and its tasks. The request is retried if the service can't be reached.
     *
     * @throws `OperationUnavailableError` if the service can't stop sessions.
     */
    readonly stop: (
      id: string,
      options?: CallChoices
    ) => Effect.Effect<SessionView, SessionError | OperationUnavailableError>
    /** Emits a session whenever its status or the status of a task changes. The last one is final. */
    readonly watch: (
      id: string,
      options?: SessionWaitOptions
    ) => Stream.Stream<SessionView, SessionError | WaitTimeoutError>
  }
>()("@webagent/v2/Sessions") {
  static readonly layer: Layer.Layer<Sessions, never, Transport> = Layer.effect(this, make)
}
