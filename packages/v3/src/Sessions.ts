import { SessionNotFoundError } from "@webagent/contract"
import { type Session, type SessionCreate, V3Api } from "@webagent/contract/v3"
import { ContractClient, Trace, Transport } from "@webagent/core"
import { Waiter, type WaitTimeoutError } from "@webagent/polling"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { make as makeWaiter, type SessionError } from "./SessionWaiter.ts"

const isAbsent = (error: unknown) => error instanceof SessionNotFoundError

const make = Effect.gen(function* () {
  const { sessions: api } = yield* ContractClient.make("v3", V3Api)
  const { grace } = yield* Transport

  const read = (id: string) => grace.forgive(id, api.get({ params: { session_id: id } }), isAbsent)
  const waiter = yield* makeWaiter(read)

  const create = Effect.fn("v3.Sessions.create")(function* (input: SessionCreate) {
    const session = yield* api.create({ payload: input })
    yield* Effect.annotateCurrentSpan("session.id", session.id)
    return session
  })

  const get = (id: string) => traced("get", id, read(id))

  const untilTerminal = (id: string, options?: Waiter.WaitOptions) =>
    traced("untilTerminal", id, waiter.untilTerminal(id, Waiter.atOnce(options)))

  const createAndWait = Effect.fn("v3.Sessions.createAndWait")(function* (
    input: SessionCreate,
    options?: Waiter.WaitOptions
  ) {
    const { id } = yield* create(input)
    yield* Effect.annotateCurrentSpan("session.id", id)
    return yield* waiter.untilTerminal(id, options)
  })

  const watch = (id: string, options?: Waiter.WaitOptions) =>
    waiter
      .watch(id, Waiter.atOnce(options))
      .pipe(Stream.withSpan("v3.Sessions.watch", { attributes: { "session.id": id } }))

  return Sessions.of({ create, get, untilTerminal, createAndWait, watch })
})

const traced = <A, E, R>(name: string, id: string, effect: Effect.Effect<A, E, R>) =>
  Trace.span(`v3.Sessions.${name}`, { attributes: { "session.id": id } })(effect)

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
 * }).pipe(Effect.provide(V3.layerConfig))
 * ```
 */
export class Sessions extends Context.Service<
  Sessions,
  {
    /** Creates a session from a task. When its answer is lost it is a CreateOutcomeUnknown, unless the service honours keys. */
    readonly create: (input: SessionCreate) => Effect.Effect<Session, ContractClient.CreateError>
    /** Reads a session, with its result once there is one. */
    readonly get: (id: string) => Effect.Effect<Session, SessionError>
    /** Waits until the session's result does not change by itself any more. */
    readonly untilTerminal: (
      id: string,
      options?: Waiter.WaitOptions
    ) => Effect.Effect<Session, SessionError | WaitTimeoutError>
    /** Creates a session and waits for its result. */
    readonly createAndWait: (
      input: SessionCreate,
      options?: Waiter.WaitOptions
    ) => Effect.Effect<Session, ContractClient.CreateError | SessionError | WaitTimeoutError>
    /** The session whenever its status has changed, the terminal one last. */
    readonly watch: (
      id: string,
      options?: Waiter.WaitOptions
    ) => Stream.Stream<Session, SessionError | WaitTimeoutError>
  }
>()("@webagent/v3/Sessions") {
  static readonly layer: Layer.Layer<Sessions, never, Transport> = Layer.effect(this, make)
}
