import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Agent } from "./ports/Agent.ts"
import type { BrowserPool, CdpConnection } from "./ports/BrowserPool.ts"
import type * as Browser from "./domain/Browser.ts"
import type {
  BrowserNotFound,
  BrowserStopped,
  IdempotencyKeyReused,
  SessionNotFound,
  SessionStopped,
  TurnNotFound
} from "./domain/Errors.ts"
import type * as Session from "./domain/Session.ts"
import type * as Turn from "./domain/Turn.ts"
import { Store } from "./ports/Store.ts"
import * as Browsers from "./Browsers.ts"
import * as ActiveSessions from "./ActiveSessions.ts"
import * as ReadWriteLock from "./ReadWriteLock.ts"
import type { IdSource } from "./ports/IdSource.ts"
import * as SafeCreates from "./SafeCreates.ts"
import * as Sessions from "./Sessions.ts"
import * as TurnQueue from "./TurnQueue.ts"

export type { BrowserRequest } from "./Browsers.ts"
export type { Created } from "./SafeCreates.ts"
export type { Message, SessionRequest, SessionWithTurns } from "./Sessions.ts"

/**
 * All versions of the API call this. The engine is the only writer of state: ports report, the engine decides.
 * Each session works on one turn at a time. What a caller began goes on when the caller disconnects. A create with a
 * `SafeCreate` is carried out once: a repeat within 24 hours gets what the first one made.
 *
 * @example
 * const program = Effect.gen(function* () {
 *   const engine = yield* Engine
 *   const { session } = yield* engine.createSession({ task: "Find a mug", modelParams: null, thinkingLevel: null })
 *   yield* engine.queue({ sessionId: session.id, text: "A red one", interrupt: false })
 * })
 */
export class Engine extends Context.Service<
  Engine,
  {
    readonly createSession: (
      request: Sessions.SessionRequest,
      safe?: SafeCreates.SafeCreate
    ) => Effect.Effect<SafeCreates.Created<"Session">, IdempotencyKeyReused>
    readonly session: (id: string) => Effect.Effect<Sessions.SessionWithTurns, SessionNotFound>
    readonly turn: (id: string) => Effect.Effect<Turn.Turn, TurnNotFound>
    /** Makes the message a turn. An interrupt cancels the turn at work; messages already waiting stay behind it. */
    readonly queue: (
      message: Sessions.Message,
      safe?: SafeCreates.SafeCreate
    ) => Effect.Effect<SafeCreates.Created<"Message">, SessionNotFound | SessionStopped | IdempotencyKeyReused>
    readonly createBrowser: (
      request: Browsers.BrowserRequest,
      safe?: SafeCreates.SafeCreate
    ) => Effect.Effect<SafeCreates.Created<"Browser">, IdempotencyKeyReused>
    /** Stops the browser and ends every connection to it; stopping it again changes nothing. */
    readonly stopBrowser: (id: string) => Effect.Effect<Browser.Browser, BrowserNotFound>
    readonly connectBrowser: (id: string) => Effect.Effect<CdpConnection, BrowserNotFound | BrowserStopped, Scope.Scope>
    /** Cancels a turn, at work or waiting; one that is terminal stays as it is. No version has this. */
    readonly cancelTurn: (id: string) => Effect.Effect<Turn.Turn, TurnNotFound>
    /** Cancels what a session has to do and stops it; stopping it again changes nothing. No version has this. */
    readonly stopSession: (id: string) => Effect.Effect<Session.Session, SessionNotFound>
    /** Gives a session its public link, for good. No version has this. */
    readonly shareSession: (id: string) => Effect.Effect<Session.Session, SessionNotFound>
  }
>()("@webagent/engine/Engine") {
  /** The engine over its ports. Closing it interrupts every turn and stops every browser. */
  static get layer(): Layer.Layer<Engine | EngineState, never, Agent | BrowserPool | Store | IdSource> {
    return Layer.effectContext(make)
  }
}

/** The turns of one session that are not terminal. */
export interface SessionQueue extends TurnQueue.TurnQueue {
  readonly sessionId: string
}

/** What is to be taken up again from records that are in the store. */
export interface Unfinished {
  readonly browsers: ReadonlyArray<Browser.Browser>
  readonly queues: ReadonlyArray<SessionQueue>
}

/** Replaces what an engine holds while it runs, for those who own its store: a simulation takes snapshots. */
export class EngineState extends Context.Service<
  EngineState,
  {
    /** Reads while nothing changes, with the queues of all sessions that have something to do. */
    readonly read: <A, E>(effect: (queues: ReadonlyArray<SessionQueue>) => Effect.Effect<A, E>) => Effect.Effect<A, E>
    /**
     * Drops all turns and browsers, lets `load` replace the records, and takes up what it answers. Agents of before
     * have nothing more to say; their browsers are stopped at the end.
     */
    readonly replace: <E>(load: Effect.Effect<Unfinished, E>) => Effect.Effect<void, E>
  }
>()("@webagent/engine/EngineState") {}

const make = Effect.gen(function* () {
  const store = yield* Store
  const lock = ReadWriteLock.make()
  const activeSessions = ActiveSessions.make(lock)
  const browsers = yield* Browsers.make(lock)
  const sessions = yield* Sessions.make(activeSessions)
  const once = SafeCreates.make(store)

  const read: EngineState["Service"]["read"] = (effect) =>
    lock.exclusive(
      Effect.suspend(() =>
        effect(
          activeSessions
            .entries()
            .filter(([, { queue }]) => !TurnQueue.isEmpty(queue))
            .map(([sessionId, { queue }]) => ({ sessionId, ...queue }))
        )
      )
    )

  const replace = <E>(load: Effect.Effect<Unfinished, E>) =>
    lock.exclusive(
      Effect.gen(function* () {
        for (const { execution } of activeSessions.takeAll()) sessions.interrupt(execution)
        const stops = browsers.takeAll()
        const unfinished = yield* load
        for (const browser of unfinished.browsers) browsers.relaunch(browser)
        for (const { sessionId, ...queue } of unfinished.queues) yield* sessions.resume(sessionId, queue)
        return stops
      })
    )

  const engine = Engine.of({
    createSession: (request, safe) => once(safe, "Session", (record) => sessions.create(request, record)),
    session: Effect.fnUntraced(function* (id) {
      const session = yield* sessions.find(id)
      return { session, turns: yield* store.turnsOf(id) }
    }),
    turn: sessions.turn,
    queue: (message, safe) => once(safe, "Message", (record) => sessions.queue(message, record)),
    createBrowser: (request, safe) => once(safe, "Browser", (record) => browsers.create(request, record)),
    stopBrowser: browsers.stop,
    connectBrowser: browsers.connect,
    cancelTurn: sessions.cancelTurn,
    stopSession: sessions.stop,
    shareSession: sessions.share
  })

  return Context.make(Engine, engine).pipe(
    Context.add(EngineState, { read, replace: (load) => Effect.uninterruptible(Effect.flatten(replace(load))) })
  )
})
