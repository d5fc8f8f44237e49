import { type Session, type SessionCreate, V3Operations } from "@webagent/contract/v3"
import {
  type CallChoices,
  CallOptions,
  ContractClient,
  type CreateError,
  type CreateOptions,
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
  extends OwnWait.OwnWaitOptions<Session, RC>, Omit<CreateOptions, "timeout"> {}

/** Options of a wait for a session. */
export interface SessionWaitOptions extends Waiter.WaitOptions, Omit<CallChoices, "timeout"> {}

const make = Effect.gen(function* () {
  const { sessions: api } = yield* ContractClient.make("v3", V3Operations)
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
    api.create({ payload: input }).pipe(
      CallOptions.provide(options),
      Effect.tap((session) => Effect.annotateCurrentSpan("session.id", session.id)),
      Trace.span("v3.Sessions.create")
    )

  const untilTerminal = ((id: string, options?: SessionWaitOptions & Partial<WithResult<unknown, unknown>>) =>
    waiter
      .untilTerminal(id, Waiter.atOnce(options))
      .pipe(
        Effect.tap(settled),
        CallOptions.provideToWait(options),
        Outcome.as(options?.result),
        Trace.span("v3.Sessions.untilTerminal", { attributes: { "session.id": id } })
      )) as Sessions["Service"]["untilTerminal"]

  const createAndWait = ((
    input: SessionCreate,
    options?: CreateAndWaitOptions<unknown> & Partial<WithResult<unknown, unknown>>
  ) => {
    const own: OwnWait.Own<Session, Session, CreateError, SessionError, unknown> = {
      kind: "session",
      create: (restore, isCancelled) =>
        RetryPolicy.interruptible(restore, isCancelled ? "pauses" : "attempts")(create(input)),
      wait: (id, options) => Effect.tap(waiter.untilTerminal(id, options), settled),
      isForeign: RetryPolicy.isForeign
    }
    return OwnWait.createAndWait(own, options).pipe(
      CallOptions.provideToWait(options),
      Outcome.as(options?.result),
      Trace.span("v3.Sessions.createAndWait")
    )
  }) as Sessions["Service"]["createAndWait"]

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
     * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
     * @throws `TransportError` if the service can't be reached, and errors of the service such as `UnauthorizedError`.
     */
    readonly create: (input: SessionCreate, options?: CreateOptions) => Effect.Effect<Session, CreateError>
    /**
     * Reads a session. It has a result once its task is done.
     *
     * @throws `SessionNotFoundError` if the service has no session with this id, and `TransportError` if it can't be reached.
     */
    readonly get: (id: string, options?: CallChoices) => Effect.Effect<Session, SessionError>
    /**
     * Waits until a session is done. A session that failed is a value unless you pass `result`.
     *
     * @param options - `timeout` limits the wait: 30 minutes by default. `result` is a schema that checks and types the result.
     * @returns The session with its result.
     * @throws `WaitTimeoutError` if it isn't done in time. Wait again with its `id`.
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
     * If the wait stops first, the session continues on the service. Pass `cancel` to stop it as well.
     *
     * @param input - The task.
     * @param options - `timeout` limits the wait: 30 minutes by default. `result` is a schema that checks and types the result.
     * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
     * @throws `WaitTimeoutError` if the session isn't done in time. Wait again with its `id`.
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
    /** Emits a session whenever its status changes. The last one is final. */
    readonly watch: (
      id: string,
      options?: SessionWaitOptions
    ) => Stream.Stream<Session, SessionError | WaitTimeoutError>
  }
>()("@webagent/v3/Sessions") {
  static readonly layer: Layer.Layer<Sessions, never, Transport> = Layer.effect(this, make)
}
