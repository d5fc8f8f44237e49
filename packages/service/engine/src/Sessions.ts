import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { Agent } from "./ports/Agent.ts"
import { SessionNotFound, SessionStopped, TurnNotFound } from "./domain/Errors.ts"
import * as Session from "./domain/Session.ts"
import * as Turn from "./domain/Turn.ts"
import { Store } from "./ports/Store.ts"
import type { ActiveSession, ActiveSessions } from "./ActiveSessions.ts"
import { fresh } from "./freshId.ts"
import { IdSource } from "./ports/IdSource.ts"
import * as TurnRunner from "./TurnRunner.ts"
import type { MadeOf, Record } from "./SafeCreates.ts"
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

/** The engine's half that has sessions worked on. Closing its scope interrupts every turn. */
export const make = Effect.fnUntraced(function* (activeSessions: ActiveSessions) {
  const agent = yield* Agent
  const store = yield* Store
  const ids = yield* IdSource
  const { exclusively } = activeSessions
  let closing = false

  const find = (id: string): Effect.Effect<Session.Session, SessionNotFound> =>
    Effect.flatMap(
      store.session(id),
      Option.match({ onNone: () => Effect.fail(new SessionNotFound({ id })), onSome: Effect.succeed })
    )

  const turn = (id: string): Effect.Effect<Turn.Turn, TurnNotFound> =>
    Effect.flatMap(
      store.turn(id),
      Option.match({ onNone: () => Effect.fail(new TurnNotFound({ id })), onSome: Effect.succeed })
    )

  /** Moves a turn, and with it its session: a refused move is the agent's mistake and changes nothing. */
  const apply = Effect.fnUntraced(function* (held: ActiveSession, turnId: string, event: Turn.TurnEvent) {
    const now = yield* Clock.currentTimeMillis
    const before = yield* Effect.orDie(turn(turnId))
    const moved = Turn.move(before, event, now)
    if (Result.isFailure(moved)) return yield* Effect.fail(moved.failure)
    const known = yield* Effect.orDie(find(before.sessionId))
    let session = known
    if (event._tag === "Started" && (event.settings !== undefined || event.proxyUsedMb !== undefined)) {
      session = Result.getOrElse(Session.move(session, { ...event, _tag: "Adjusted" }, now), () => session)
    }
    const ended = Turn.isTerminal(moved.success.status)
    const queue = ended ? TurnQueue.remove(held.queue, turnId) : held.queue
    if (ended && TurnQueue.isEmpty(queue) && !session.keepAlive) {
      session = Result.getOrElse(Session.move(session, { _tag: "Stopped" }, now), () => session)
    }
    yield* store.commit(
      session === known ? { turns: [moved.success] } : { turns: [moved.success], sessions: [session] }
    )
    held.queue = queue
    return moved.success
  })

  /** Gives the turn to the agent. */
  const begin = (held: ActiveSession, given: Turn.Turn) =>
    runner.begin(given, (execution) => {
      held.execution = execution
    })

  /** Puts the first waiting turn to work, unless an agent is or the engine closes. */
  const advance = Effect.fnUntraced(function* (held: ActiveSession) {
    if (closing || held.execution !== null) return
    const queue = TurnQueue.start(held.queue)
    if (queue.running === null) return
    held.queue = queue
    begin(held, yield* Effect.orDie(apply(held, queue.running, { _tag: "Dispatched" })))
  })

  /** The agent is done with the turn, however that came about: nothing is left half-way, and the next one starts. */
  const settle = Effect.fnUntraced(function* (held: ActiveSession, turnId: string, ending: Turn.TurnEvent) {
    if (held.queue.running === turnId) yield* Effect.ignore(apply(held, turnId, ending))
    held.execution = null
    yield* advance(held)
  })

  // what an agent says counts while it is the one at work: not after a reset
  const runner = yield* TurnRunner.make(agent, {
    onEvent: (execution, { id, sessionId }, event) =>
      exclusively(sessionId, (held) =>
        held.execution === execution ? apply(held, id, event) : Effect.succeed(undefined)
      ),
    onEnd: (execution, { id, sessionId }, ending) =>
      exclusively(sessionId, (held) => (held.execution === execution ? settle(held, id, ending) : Effect.void))
  })

  yield* Effect.addFinalizer(() => {
    // before the turns are interrupted: one that ends so is not to start the next
    closing = true
    return runner.end(activeSessions.entries().flatMap(([, { execution }]) => execution ?? []))
  })

  const newTurn = Effect.fnUntraced(function* (fields: Pick<Turn.Turn, "sessionId" | "task" | "modelParams">) {
    const id = yield* fresh(ids, "turn", store.turn)
    const createdAt_ms = yield* Clock.currentTimeMillis
    return Turn.make({ ...fields, id, createdAt_ms, model: agent.model, agentVersion: agent.version })
  })

  const create = Effect.fnUntraced(function* (request: SessionRequest, record: Record) {
    const id = yield* fresh(ids, "session", store.session)
    const first = yield* newTurn({ sessionId: id, task: request.task, modelParams: request.modelParams })
    const session = {
      ...Session.make({ id, thinkingLevel: request.thinkingLevel, createdAt_ms: first.createdAt_ms }),
      ...agent.settings?.(id)
    }
    const made: MadeOf<"Session"> = { _tag: "Session", session, turn: first }
    return yield* exclusively(id, (held) =>
      Effect.gen(function* () {
        const idempotencyRecords = record(made, first.createdAt_ms)
        yield* store.commit({ sessions: [session], turns: [first], idempotencyRecords })
        held.queue = TurnQueue.append(held.queue, first.id)
        yield* advance(held)
        return made
      })
    )
  })

  const findActive = (id: string): Effect.Effect<Session.Session, SessionNotFound | SessionStopped> =>
    Effect.filterOrFail(
      find(id),
      (session) => session.status === "active",
      () => new SessionStopped({ id })
    )

  const queue = Effect.fnUntraced(function* ({ interrupt, sessionId, text }: Message, record: Record) {
    const [made, interrupted] = yield* exclusively(sessionId, (held) =>
      Effect.gen(function* () {
        yield* findActive(sessionId)
        const id = yield* ids.next("message")
        const next = yield* newTurn({ sessionId, task: text, modelParams: null })
        const message: MadeOf<"Message"> = { _tag: "Message", id, interrupt, turn: next }
        yield* store.commit({ turns: [next], idempotencyRecords: record(message, next.createdAt_ms) })
        const { running } = held.queue
        held.queue = interrupt ? TurnQueue.prepend(held.queue, next.id) : TurnQueue.append(held.queue, next.id)
        const { execution } = held
        if (interrupt && running !== null) yield* Effect.ignore(apply(held, running, { _tag: "Cancelled" }))
        yield* advance(held)
        return [message, interrupt ? execution : null] as const
      })
    )
    runner.interrupt(interrupted)
    return made
  })

  /** A turn at work is interrupted, one that waits leaves the queue, one that is terminal stays as it is. */
  const cancelTurn = Effect.fnUntraced(function* (id: string) {
    const { sessionId } = yield* turn(id)
    const [cancelled, execution] = yield* exclusively(sessionId, (held) =>
      Effect.gen(function* () {
        const atWork = held.queue.running === id ? held.execution : null
        const moved = yield* Effect.result(apply(held, id, { _tag: "Cancelled" }))
        return [Result.isSuccess(moved) ? moved.success : yield* Effect.orDie(turn(id)), atWork] as const
      })
    )
    runner.interrupt(execution)
    return cancelled
  })

  /** Cancels what the session has to do and stops it, in one step; stopping it again changes nothing. */
  const stop = Effect.fnUntraced(function* (id: string) {
    const [stopped, execution] = yield* exclusively(id, (held) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const session = yield* find(id)
        const moved = Session.move(session, { _tag: "Stopped" }, now)
        if (Result.isFailure(moved)) return [session, null] as const
        const open = yield* Effect.forEach(TurnQueue.ids(held.queue), (turnId) => Effect.orDie(turn(turnId)))
        const turns = open.flatMap((each) => Result.getOrElse(Turn.move(each, { _tag: "Cancelled" }, now), () => []))
        yield* store.commit({ sessions: [moved.success], turns })
        held.queue = TurnQueue.empty
        return [moved.success, held.execution] as const
      })
    )
    runner.interrupt(execution)
    return stopped
  })

  const share = (id: string): Effect.Effect<Session.Session, SessionNotFound> =>
    exclusively(id, () =>
      Effect.gen(function* () {
        const session = Session.share(yield* find(id))
        yield* store.commit({ sessions: [session] })
        return session
      })
    )

  /** While the lock is held: puts a session back to where it was, its agent to what is left of its turn. */
  const resume = Effect.fnUntraced(function* (sessionId: string, waiting: TurnQueue.TurnQueue) {
    const held = activeSessions.put(sessionId, waiting)
    if (waiting.running === null) return yield* advance(held)
    begin(held, yield* Effect.orDie(turn(waiting.running)))
  })

  return {
    create,
    find,
    turn,
    queue,
    cancelTurn: (id: string) => Effect.uninterruptible(cancelTurn(id)),
    stop: (id: string) => Effect.uninterruptible(stop(id)),
    share,
    interrupt: runner.interrupt,
    resume
  }
})
