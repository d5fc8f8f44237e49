import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
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
import type { Made } from "./domain/IdempotencyRecord.ts"
import type * as Session from "./domain/Session.ts"
import * as Turn from "./domain/Turn.ts"
import { Store } from "./ports/Store.ts"
import * as BrowserDesk from "./BrowserDesk.ts"
import * as Conversations from "./Conversations.ts"
import * as Gate from "./Gate.ts"
import { IdSource } from "./ports/IdSource.ts"
import type { Open } from "./Open.ts"
import * as SafeCreates from "./SafeCreates.ts"
import * as SessionDesk from "./SessionDesk.ts"
import * as Snapshot from "./Snapshot.ts"
import * as TurnQueue from "./TurnQueue.ts"

export type { BrowserRequest } from "./BrowserDesk.ts"
export type { Message, SessionRequest, SessionWithTurns } from "./SessionDesk.ts"

/** A session that was created, or that an earlier create with the same key has made, as it was then. */
export interface CreatedSession {
  readonly session: Session.Session
  readonly turn: Turn.Turn
  readonly replayed: boolean
}

/** A message that was taken, and the turn that it becomes; as it was then, if an earlier one with its key was. */
export interface QueuedMessage extends SessionDesk.Message {
  readonly id: string
  readonly turn: Turn.Turn
  readonly replayed: boolean
}

/** A browser that was created, or that an earlier create with the same key has made, as it was then. */
export interface CreatedBrowser {
  readonly browser: Browser.Browser
  readonly replayed: boolean
}

/**
 * What all versions of the API speak to. The engine is the only writer of state: ports report, the engine moves.
 * Of each session one turn is at work at a time. Nothing that was begun is undone when the caller goes away. A
 * create with a `SafeCreate` is carried out once, whoever repeats it within 24 hours gets what it made.
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
      request: SessionDesk.SessionRequest,
      safe?: SafeCreates.SafeCreate
    ) => Effect.Effect<CreatedSession, IdempotencyKeyReused>
    readonly session: (id: string) => Effect.Effect<SessionDesk.SessionWithTurns, SessionNotFound>
    readonly turn: (id: string) => Effect.Effect<Turn.Turn, TurnNotFound>
    /** Makes the message a turn. An interrupt cancels the turn at work; messages already waiting stay behind it. */
    readonly queue: (
      message: SessionDesk.Message,
      safe?: SafeCreates.SafeCreate
    ) => Effect.Effect<QueuedMessage, SessionNotFound | SessionStopped | IdempotencyKeyReused>
    readonly createBrowser: (
      request: BrowserDesk.BrowserRequest,
      safe?: SafeCreates.SafeCreate
    ) => Effect.Effect<CreatedBrowser, IdempotencyKeyReused>
    /** Stops the browser and ends every connection to it; stopping it again changes nothing. */
    readonly stopBrowser: (id: string) => Effect.Effect<Browser.Browser, BrowserNotFound>
    readonly connectBrowser: (id: string) => Effect.Effect<CdpConnection, BrowserNotFound | BrowserStopped, Scope.Scope>
    /** Cuts every connection to the browser, as a network would; it runs on, and can be connected to again. */
    readonly dropConnections: (id: string) => Effect.Effect<void, BrowserNotFound | BrowserStopped>
    /** Cancels a turn, at work or waiting; one that is terminal stays as it is. No version has this. */
    readonly cancelTurn: (id: string) => Effect.Effect<Turn.Turn, TurnNotFound>
    /** Cancels what a session has to do and stops it; stopping it again changes nothing. No version has this. */
    readonly stopSession: (id: string) => Effect.Effect<Session.Session, SessionNotFound>
    /** Gives a session its public link, for good. No version has this. */
    readonly shareSession: (id: string) => Effect.Effect<Session.Session, SessionNotFound>
    /** What is not over. */
    readonly open: Effect.Effect<Open>
    /** Forgets everything: turns are interrupted, browsers stopped, ids counted from the start. */
    readonly reset: Effect.Effect<void>
    /** Everything that there is, as plain JSON. */
    readonly snapshot: Effect.Effect<Snapshot.Snapshot>
    /** Everything as it was: turns go on with what was left of them. Connections to browsers are not restored. */
    readonly restore: (snapshot: unknown) => Effect.Effect<void, Snapshot.InvalidSnapshot>
  }
>()("@webagent/engine/Engine") {
  /** The engine over its ports. Closing it interrupts every turn and stops every browser. */
  static get layer(): Layer.Layer<Engine, never, Agent | BrowserPool | Store | IdSource> {
    return Layer.effect(Engine, make)
  }
}

const make = Effect.gen(function* () {
  const store = yield* Store
  const ids = yield* IdSource
  const gate = Gate.make()
  const conversations = Conversations.make(gate)
  const browsers = yield* BrowserDesk.make(gate)
  const sessions = yield* SessionDesk.make(conversations)
  const { once } = SafeCreates.make(store)

  /** While the gate is held: an engine as new. Says how to end what went on until then. */
  const clear = Effect.gen(function* () {
    for (const { work } of conversations.takeAll()) sessions.letGo(work)
    const stops = browsers.takeAll()
    yield* store.clear
    yield* ids.restore({})
    return stops
  })

  const snapshot = Effect.gen(function* () {
    return {
      version: 1 as const,
      sessions: yield* Stream.runCollect(store.sessions),
      turns: yield* Stream.runCollect(store.turns),
      queues: conversations
        .entries()
        .filter(([, { queue }]) => !TurnQueue.isEmpty(queue))
        .map(([sessionId, { queue }]) => ({ sessionId, ...queue })),
      browsers: yield* Stream.runCollect(store.browsers),
      idempotencyRecords: yield* Stream.runCollect(store.idempotencyRecords),
      ids: yield* ids.counts
    }
  })

  const restore = Effect.fnUntraced(function* (value: unknown) {
    const { browsers: kept, ids: counts, queues, version: _, ...changes } = yield* Snapshot.parse(value)
    const stops = yield* gate.hold(
      Effect.gen(function* () {
        const ended = yield* clear
        yield* store.commit({ ...changes, browsers: kept })
        yield* ids.restore(counts)
        for (const browser of kept) browsers.relaunch(browser)
        for (const { sessionId, ...queue } of queues) yield* sessions.resume(sessionId, queue)
        return ended
      })
    )
    yield* stops
  })

  const open = Effect.gen(function* () {
    const turns = Stream.filter(store.turns, ({ status }) => !Turn.isTerminal(status))
    const active = yield* Stream.runCollect(Stream.filter(store.sessions, ({ status }) => status === "active"))
    const running = Stream.filter(store.browsers, ({ status }) => status === "active")
    const unfinished = yield* Stream.runCollect(turns)
    const busy = new Set(unfinished.map(({ sessionId }) => sessionId))
    return {
      turns: unfinished.map(({ createdAt_ms, id, sessionId, startedAt_ms, status }) => ({
        id,
        sessionId,
        status,
        createdAt_ms,
        startedAt_ms
      })),
      sessions: active.map(({ createdAt_ms, id }) => ({ id, createdAt_ms, idle: !busy.has(id) })),
      browsers: (yield* Stream.runCollect(running)).map(({ id, startedAt_ms }) => ({ id, startedAt_ms }))
    }
  })

  return Engine.of({
    createSession: (request, safe) =>
      Effect.map(
        once(safe, isMade("Session"), (record) => sessions.create(request, record)),
        ({ made: { session, turn }, replayed }) => ({ session, turn, replayed })
      ),
    session: Effect.fnUntraced(function* (id) {
      const session = yield* sessions.find(id)
      return { session, turns: yield* store.turnsOf(id) }
    }),
    turn: sessions.turn,
    queue: (message, safe) =>
      Effect.map(
        once(safe, isMade("Message"), (record) => sessions.queue(message, record)),
        ({ made: { id, turn }, replayed }) => ({ ...message, id, turn, replayed })
      ),
    createBrowser: (request, safe) =>
      Effect.map(
        once(safe, isMade("Browser"), (record) => browsers.create(request, record)),
        ({ made: { browser }, replayed }) => ({ browser, replayed })
      ),
    stopBrowser: browsers.stop,
    connectBrowser: browsers.connect,
    dropConnections: browsers.dropConnections,
    cancelTurn: sessions.cancelTurn,
    stopSession: sessions.stop,
    shareSession: sessions.share,
    open,
    reset: Effect.uninterruptible(Effect.flatten(gate.hold(clear))),
    snapshot: gate.hold(snapshot),
    restore: (value) => Effect.uninterruptible(restore(value))
  })
})

const isMade =
  <Tag extends Made["_tag"]>(tag: Tag) =>
  (made: Made): made is Extract<Made, { readonly _tag: Tag }> =>
    made._tag === tag
