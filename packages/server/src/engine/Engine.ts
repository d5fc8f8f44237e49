import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { Agent } from "../agent/Agent.ts"
import type { BrowserPool, CdpConnection } from "../browser/BrowserPool.ts"
import type * as Browser from "../domain/Browser.ts"
import {
  type BrowserNotFound,
  type BrowserStopped,
  SessionNotFound,
  SessionStopped,
  TurnNotFound
} from "../domain/Errors.ts"
import * as Session from "../domain/Session.ts"
import * as Turn from "../domain/Turn.ts"
import { Store } from "../store/Store.ts"
import * as BrowserDesk from "./BrowserDesk.ts"
import { IdSource } from "./IdSource.ts"
import * as TurnQueue from "./TurnQueue.ts"

/** A session to create, and the task of its first turn. */
export interface SessionRequest {
  readonly task: string
  readonly modelParams: Turn.Turn["modelParams"]
  readonly thinkingLevel: string | null
}

/** A session with its turns in the order in which they were created. */
export interface SessionWithTurns {
  readonly session: Session.Session
  readonly turns: ReadonlyArray<Turn.Turn>
}

/** A follow-up for a session; with `interrupt` it does not wait for the turn at work. */
export interface Message {
  readonly sessionId: string
  readonly text: string
  readonly interrupt: boolean
}

/** A message that was taken, and the turn that it becomes. */
export interface QueuedMessage extends Message {
  readonly id: string
  readonly turn: Turn.Turn
}

/**
 * What all versions of the API speak to. The engine is the only writer of state: ports report, the engine moves.
 * Of each session one turn is at work at a time. Nothing that was begun is undone when the caller goes away.
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
      request: SessionRequest
    ) => Effect.Effect<{ readonly session: Session.Session; readonly turn: Turn.Turn }>
    readonly session: (id: string) => Effect.Effect<SessionWithTurns, SessionNotFound>
    readonly turn: (id: string) => Effect.Effect<Turn.Turn, TurnNotFound>
    /** Makes the message a turn. An interrupt cancels the turn at work; messages already waiting stay behind it. */
    readonly queue: (message: Message) => Effect.Effect<QueuedMessage, SessionNotFound | SessionStopped>
    readonly createBrowser: (request: { readonly proxyCountryCode: string | null }) => Effect.Effect<Browser.Browser>
    /** Stops the browser and ends every connection to it; stopping it again changes nothing. */
    readonly stopBrowser: (id: string) => Effect.Effect<Browser.Browser, BrowserNotFound>
    readonly connectBrowser: (id: string) => Effect.Effect<CdpConnection, BrowserNotFound | BrowserStopped, Scope.Scope>
  }
>()("@webagent/server/Engine") {
  /** The engine over its ports. Closing it interrupts every turn and stops every browser. */
  static get layer(): Layer.Layer<Engine, never, Agent | BrowserPool | Store | IdSource> {
    return Layer.effect(Engine, make)
  }
}

/** What the engine holds in its hands for one session that is not stopped. */
interface Conversation {
  readonly lock: Semaphore.Semaphore
  queue: TurnQueue.TurnQueue
}

const make = Effect.gen(function* () {
  const agent = yield* Agent
  const store = yield* Store
  const ids = yield* IdSource
  const browsers = yield* BrowserDesk.make
  const conversations = new Map<string, Conversation>()
  const working = yield* FiberMap.make<string>()
  const fork = yield* FiberMap.runtime(working)()
  let closing = false
  // before the turns are interrupted: one that ends so is not to start the next
  yield* Effect.addFinalizer(() => Effect.sync(() => (closing = true)))

  const conversation = (sessionId: string): Conversation => {
    const known = conversations.get(sessionId)
    if (known !== undefined) return known
    const opened = { lock: Semaphore.makeUnsafe(1), queue: TurnQueue.empty }
    conversations.set(sessionId, opened)
    return opened
  }

  /** Runs `effect` alone among everything that changes this session, and to its end. */
  const alone = <A, E>(sessionId: string, effect: (held: Conversation) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const held = conversation(sessionId)
      return Effect.uninterruptible(
        Semaphore.withPermit(
          held.lock,
          Effect.suspend(() => effect(held))
        )
      )
    })

  const findSession = (id: string): Effect.Effect<Session.Session, SessionNotFound> =>
    Effect.flatMap(
      store.session(id),
      Option.match({ onNone: () => Effect.fail(new SessionNotFound({ id })), onSome: Effect.succeed })
    )

  const findTurn = (id: string): Effect.Effect<Turn.Turn, TurnNotFound> =>
    Effect.flatMap(
      store.turn(id),
      Option.match({ onNone: () => Effect.fail(new TurnNotFound({ id })), onSome: Effect.succeed })
    )

  /** Moves a turn, and with it its session: a refused move is the agent's mistake and changes nothing. */
  const apply = Effect.fnUntraced(function* (held: Conversation, turnId: string, event: Turn.TurnEvent) {
    const now = yield* Clock.currentTimeMillis
    const turn = yield* Effect.orDie(findTurn(turnId))
    const moved = Turn.move(turn, event, now)
    if (Result.isFailure(moved)) return yield* Effect.fail(moved.failure)
    let session = yield* Effect.orDie(findSession(turn.sessionId))
    if (event._tag === "Started") {
      session = Result.getOrElse(Session.move(session, { ...event, _tag: "Adjusted" }, now), () => session)
    }
    const last = TurnQueue.isEmpty(TurnQueue.remove(held.queue, turnId))
    if (Turn.isTerminal(moved.success.status) && last && !session.keepAlive) {
      session = Result.getOrElse(Session.move(session, { _tag: "Stopped" }, now), () => session)
    }
    yield* store.commit({ turns: [moved.success], sessions: [session] })
    return moved.success
  })

  /** Puts the first waiting turn to work, unless one is or the engine closes. */
  const advance = Effect.fnUntraced(function* (held: Conversation) {
    if (closing) return
    const queue = TurnQueue.start(held.queue)
    if (queue === held.queue || queue.running === null) return
    held.queue = queue
    const turn = yield* Effect.orDie(apply(held, queue.running, { _tag: "Dispatched" }))
    fork(turn.id, perform(turn))
  })

  const perform = (turn: Turn.Turn): Effect.Effect<void> =>
    agent.perform(turn).pipe(
      Stream.runForEach((event) =>
        Effect.catchTag(
          alone(turn.sessionId, (held) => apply(held, turn.id, event)),
          "RefusedMove",
          (refused) =>
            Turn.isTerminal(refused.from)
              ? Effect.void
              : Effect.die(`The agent sent ${refused.event} for a turn that is ${refused.from}.`)
        )
      ),
      Effect.tapDefect((defect) => Effect.logError(`The agent died in turn ${turn.id}`, defect)),
      Effect.onExit((exit) => Effect.ignore(alone(turn.sessionId, (held) => settle(held, turn.id, exit)))),
      Effect.ignoreCause
    )

  /** The agent is done with the turn, however that came about: nothing is left half-way, and the next one starts. */
  const settle = Effect.fnUntraced(function* (
    held: Conversation,
    turnId: string,
    exit: Exit.Exit<void, { message: string }>
  ) {
    yield* Effect.ignore(apply(held, turnId, ending(exit)))
    held.queue = TurnQueue.remove(held.queue, turnId)
    yield* advance(held)
    const turn = yield* Effect.orDie(findTurn(turnId))
    const session = yield* Effect.orDie(findSession(turn.sessionId))
    if (session.status === "stopped") conversations.delete(session.id)
  })

  const newTurn = Effect.fnUntraced(function* (fields: Pick<Turn.Turn, "sessionId" | "task" | "modelParams">) {
    const id = yield* ids.next("turn")
    const createdAt_ms = yield* Clock.currentTimeMillis
    return Turn.make({ ...fields, id, createdAt_ms, model: agent.model, agentVersion: agent.version })
  })

  const createSession = Effect.fnUntraced(function* (request: SessionRequest) {
    const id = yield* ids.next("session")
    const turn = yield* newTurn({ sessionId: id, task: request.task, modelParams: request.modelParams })
    const session = Session.make({ id, thinkingLevel: request.thinkingLevel, createdAt_ms: turn.createdAt_ms })
    return yield* alone(id, (held) =>
      Effect.gen(function* () {
        yield* store.commit({ sessions: [session], turns: [turn] })
        held.queue = TurnQueue.append(held.queue, turn.id)
        yield* advance(held)
        return { session, turn }
      })
    )
  })

  const queue = Effect.fnUntraced(function* (message: Message) {
    const { sessionId } = message
    yield* Effect.filterOrFail(
      findSession(sessionId),
      (session) => session.status === "active",
      () => new SessionStopped({ id: sessionId })
    )
    const [queued, interrupted] = yield* alone(sessionId, (held) =>
      Effect.gen(function* () {
        const session = yield* findSession(sessionId)
        if (session.status === "stopped") return yield* new SessionStopped({ id: sessionId })
        const id = yield* ids.next("message")
        const turn = yield* newTurn({ sessionId, task: message.text, modelParams: null })
        yield* store.commit({ turns: [turn] })
        held.queue = message.interrupt ? TurnQueue.prepend(held.queue, turn.id) : TurnQueue.append(held.queue, turn.id)
        const running = message.interrupt ? held.queue.running : null
        if (running !== null) yield* Effect.ignore(apply(held, running, { _tag: "Cancelled" }))
        yield* advance(held)
        return [{ ...message, id, turn }, running] as const
      })
    )
    // The agent may take a while to let go; the caller does not wait for it, the next turn does.
    if (interrupted !== null) Option.getOrUndefined(FiberMap.getUnsafe(working, interrupted))?.interruptUnsafe()
    return queued
  })

  return Engine.of({
    createSession: (request) => Effect.uninterruptible(createSession(request)),
    session: Effect.fnUntraced(function* (id) {
      const session = yield* findSession(id)
      return { session, turns: yield* store.turnsOf(id) }
    }),
    turn: findTurn,
    queue: (message) => Effect.uninterruptible(queue(message)),
    createBrowser: browsers.create,
    stopBrowser: browsers.stop,
    connectBrowser: browsers.connect
  })
})

/** What an agent's end makes of a turn that has had no terminal event. */
const ending = (exit: Exit.Exit<void, { readonly message: string }>): Turn.TurnEvent => {
  if (Exit.isSuccess(exit)) return { _tag: "Failed", error: "The agent ended without saying how." }
  if (Cause.hasInterruptsOnly(exit.cause)) return { _tag: "Cancelled" }
  const error = Cause.squash(exit.cause)
  return { _tag: "Failed", error: error instanceof Error ? error.message : String(error) }
}
