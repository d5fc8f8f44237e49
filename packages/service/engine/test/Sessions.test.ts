import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { layerStreamingAgent, type StreamingAgent } from "../src/StreamingAgent.ts"
import * as TestClock from "effect/testing/TestClock"
import { Agent, type Execution } from "../src/ports/Agent.ts"
import type { Session } from "../src/domain/Session.ts"
import { isTerminal, type Turn, type TurnEvent } from "../src/domain/Turn.ts"
import { Engine } from "../src/Engine.ts"
import * as MemoryStore from "../src/MemoryStore.ts"
import { Store } from "../src/ports/Store.ts"
import * as ports from "./ports.ts"

const create = (task: string) =>
  Engine.use((engine) => engine.createSession({ task, modelParams: null, thinkingLevel: null }))

/** Tasks with their statuses, in the order of creation. */
const standing = Effect.fnUntraced(function* (sessionId: string) {
  const { turns } = yield* Engine.use((engine) => engine.session(sessionId))
  return turns.map((turn) => `${turn.task} ${turn.status}`)
})

const say = (sessionId: string, text: string, interrupt = false) =>
  Engine.use((engine) => engine.queue({ sessionId, text, interrupt }))

/** A session without what the engine keeps for itself. */
const shown = (session: Session) => ({ ...session, lease: null, revision: 0 })

/** An agent that takes half a minute to let go of a turn. */
const slowToLetGo = Engine.layer.pipe(
  Layer.provide([
    layerStreamingAgent({
      model: "test",
      version: "test-1",
      perform: () =>
        Stream.concat(Stream.make<[TurnEvent]>({ _tag: "Started", settings: { keepAlive: false } }), Stream.never).pipe(
          Stream.ensuring(Effect.sleep("30 seconds"))
        )
    }),
    ports.browsers,
    MemoryStore.layer,
    ports.ids
  ])
)

const upTo = (most: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: most }))

/** Something that a caller does, or the same moment for several: `pause_ms` later comes the next. */
const Step = Schema.Struct({
  does: Schema.Literals(["create", "queue", "queue", "interrupt", "cancel", "cancel", "stop"]),
  /** Which of the sessions or turns that there are. */
  which: upTo(5),
  keepAlive: Schema.Boolean,
  work_ms: upTo(12),
  stopDelay_ms: upTo(4),
  pause_ms: upTo(6)
})

/** Takes the steps one after the other without waiting for any, over a store and agents that take their time. */
const race = Effect.fnUntraced(function* (
  kind: "streams" | "leaves with its end",
  steps: ReadonlyArray<typeof Step.Type>
) {
  const sessions: Array<string> = []
  const turns: Array<string> = []
  const performed: Array<string> = []
  const working = new Map<string, number>()
  /** The turns that were asked to end: by themselves, with their session, or by an interrupt of it. */
  const unwanted = new Set<string>()
  const wrong: Array<string> = []

  const planOf = (turn: Turn) => {
    const [work_ms = 0, stopDelay_ms = 0, keepAlive = 0] = turn.task.split(" ").map(Number)
    return { work_ms, stopDelay_ms, started: { _tag: "Started", settings: { keepAlive: keepAlive === 1 } } as const }
  }
  const completed: TurnEvent = { _tag: "Completed", report: {} }

  const performing: StreamingAgent = {
    model: "test",
    version: "test-1",
    perform: (turn) => {
      const { stopDelay_ms, started, work_ms } = planOf(turn)
      const begin = Effect.sync((): TurnEvent => {
        performed.push(turn.id)
        working.set(turn.sessionId, (working.get(turn.sessionId) ?? 0) + 1)
        if (working.get(turn.sessionId) !== 1) wrong.push(`two agents work for ${turn.sessionId}`)
        return started
      })
      return Stream.fromEffect(begin).pipe(
        Stream.concat(Stream.fromEffect(Effect.as(Effect.sleep(work_ms), completed))),
        Stream.ensuring(
          Effect.andThen(
            Effect.sleep(stopDelay_ms),
            Effect.sync(() => working.set(turn.sessionId, (working.get(turn.sessionId) ?? 0) - 1))
          )
        )
      )
    }
  }

  /** Is gone with the event that ends its turn; after a cancel, it takes a while to leave. */
  const leaving: Agent["Service"] = {
    model: "test",
    version: "test-1",
    serve: (reports) =>
      Effect.map(Effect.context<never>(), (context) => (turn, token): Execution => {
        const fork = Effect.runForkWith(context)
        const { started, stopDelay_ms, work_ms } = planOf(turn)
        let fiber: Fiber.Fiber<void> | undefined
        const abort = () => fiber?.interruptUnsafe()
        const leave = Effect.andThen(
          Effect.sleep(stopDelay_ms),
          Effect.suspend(() => reports.onEnd(self, { _tag: "Cancelled" }))
        )
        const work = Effect.gen(function* () {
          performed.push(turn.id)
          yield* reports.onEvent(self, started, false)
          yield* Effect.sleep(work_ms)
          yield* reports.onEvent(self, completed, true)
        })
        const self: Execution = {
          sessionId: turn.sessionId,
          token,
          turn,
          begin: () => {
            fiber = fork(work.pipe(Effect.catch(() => leave)))
          },
          interrupt: () => {
            abort()
            fiber = fork(leave)
          },
          abort,
          end: () => (fiber === undefined ? Effect.void : Fiber.interrupt(fiber)),
          used: () => undefined
        }
        return self
      })
  }

  const agent = kind === "streams" ? layerStreamingAgent(performing) : Layer.succeed(Agent, leaving)

  /** Every commit takes a millisecond or none, and is looked at. */
  const store = Layer.effect(
    Store,
    Effect.map(Store, (inner) => ({
      ...inner,
      commit: Effect.fnUntraced(function* (changes) {
        if ((yield* Clock.currentTimeMillis) % 2 === 0) yield* Effect.sleep(1)
        yield* inner.commit(changes)
        const { session: written } = changes
        for (const { id } of written === undefined ? [] : [written]) {
          const session = yield* inner.session(id)
          const open = (yield* inner.turnsOf(id)).filter(({ status }) => !isTerminal(status))
          if (open.filter(({ status }) => status !== "queued").length > 1) wrong.push(`two turns of ${id} are at work`)
          if (session._tag === "Some" && session.value.status === "stopped" && open.length > 0) {
            wrong.push(`${id} is stopped and has a turn that is ${open[0]?.status}`)
          }
        }
      })
    }))
  ).pipe(Layer.provide(MemoryStore.layer))

  const layer = Engine.layer.pipe(Layer.provideMerge(store), Layer.provide([agent, ports.browsers, ports.ids]))

  yield* Effect.gen(function* () {
    const engine = yield* Engine
    const unwant = (sessionId: string) =>
      Effect.map(Effect.orDie(engine.session(sessionId)), ({ turns: all }) => {
        for (const { id, status } of all) if (!isTerminal(status)) unwanted.add(id)
      })
    const take = Effect.fnUntraced(function* ({ does, keepAlive, stopDelay_ms, which, work_ms }: typeof Step.Type) {
      const task = `${work_ms} ${stopDelay_ms} ${keepAlive ? 1 : 0}`
      const sessionId = sessions[which % Math.max(1, sessions.length)]
      const turnId = turns[turns.length - 1 - (which % Math.max(1, turns.length))]
      if (does === "create" || sessionId === undefined || turnId === undefined) {
        const { session, turn } = yield* engine.createSession({ task, modelParams: null, thinkingLevel: null })
        sessions.push(session.id)
        turns.push(turn.id)
      } else if (does === "cancel") {
        unwanted.add(turnId)
        const { status } = yield* engine.cancelTurn(turnId)
        if (!isTerminal(status)) wrong.push(`cancelled, and ${status}`)
      } else if (does === "stop") {
        yield* unwant(sessionId)
        const session = yield* engine.stopSession(sessionId)
        // a message that came in before the stop, after we looked
        yield* unwant(sessionId)
        if (session.status !== "stopped") wrong.push(`stopped, and ${session.status}`)
        for (const turn of (yield* engine.session(sessionId)).turns) {
          unwanted.add(turn.id)
          if (!isTerminal(turn.status)) wrong.push(`in a stopped session, and ${turn.status}`)
        }
      } else {
        if (does === "interrupt") yield* unwant(sessionId)
        const { turn } = yield* engine.queue({ sessionId, text: task, interrupt: does === "interrupt" })
        turns.push(turn.id)
        if (does === "interrupt") interrupts.add(sessionId)
      }
    })
    const interrupts = new Set<string>()
    for (const step of steps) {
      yield* Effect.forkChild(Effect.ignore(take(step)), { startImmediately: true })
      yield* TestClock.adjust(step.pause_ms)
    }
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(wrong, [])
    for (const id of turns) {
      const { sessionId, status } = yield* engine.turn(id)
      const times = performed.filter((each) => each === id).length
      if (status === "cancelled") assert.isTrue(unwanted.has(id) || interrupts.has(sessionId))
      else assert.deepStrictEqual([status, times], ["completed", 1])
      assert.isAtMost(times, 1)
    }
    assert.deepStrictEqual((yield* Store.use((all) => all.unfinished(100))).sessions, [])
  }).pipe(Effect.provide(layer, { local: true }))
})

describe("Sessions", () => {
  describe("cancelTurn", () => {
    it.effect("interrupts the running turn, and starts the next one", () =>
      Effect.gen(function* () {
        const { session, turn } = yield* create("one")
        yield* say(session.id, "two")
        yield* TestClock.adjust("5 seconds")
        const engine = yield* Engine
        const cancelled = yield* engine.cancelTurn(turn.id)
        assert.deepStrictEqual([cancelled.status, cancelled.finishedAt_ms], ["cancelled", 5000])
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(yield* standing(session.id), ["one cancelled", "two running"])
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* engine.cancelTurn(turn.id), cancelled)
        assert.deepStrictEqual(yield* standing(session.id), ["one cancelled", "two completed"])
      }).pipe(Effect.provide(ports.engine))
    )

    it.effect("removes a waiting turn from the queue", () =>
      Effect.gen(function* () {
        const engine = yield* Engine
        const { session } = yield* create("one")
        const { turn } = yield* say(session.id, "two")
        yield* say(session.id, "three")
        yield* engine.cancelTurn(turn.id)
        yield* TestClock.adjust("15 seconds")
        assert.deepStrictEqual(yield* standing(session.id), ["one completed", "two cancelled", "three running"])
        assert.strictEqual((yield* Effect.flip(engine.cancelTurn("x")))._tag, "TurnNotFound")
      }).pipe(Effect.provide(ports.engine))
    )

    it.effect("stops a session without keepAlive if it cancels the last turn, even before the agent stops", () =>
      Effect.gen(function* () {
        const engine = yield* Engine
        const { session, turn } = yield* create("one")
        yield* TestClock.adjust(1)
        const { turn: waiting } = yield* say(session.id, "two")
        yield* engine.cancelTurn(turn.id)
        assert.strictEqual((yield* engine.session(session.id)).session.status, "active")
        yield* TestClock.adjust("5 seconds")
        yield* engine.cancelTurn(waiting.id)
        const after = yield* engine.session(session.id)
        assert.deepStrictEqual([after.session.status, after.session.finishedAt_ms], ["stopped", 5001])
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* standing(session.id), ["one cancelled", "two cancelled"])
      }).pipe(Effect.provide(slowToLetGo))
    )
  })

  describe("stopSession", () => {
    it.effect("cancels all open turns and stops the session, once", () =>
      Effect.gen(function* () {
        const engine = yield* Engine
        const { session } = yield* create("one")
        yield* say(session.id, "two")
        yield* TestClock.adjust("5 seconds")
        const stopped = yield* engine.stopSession(session.id)
        assert.deepStrictEqual([stopped.status, stopped.finishedAt_ms], ["stopped", 5000])
        assert.deepStrictEqual(yield* standing(session.id), ["one cancelled", "two cancelled"])
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(shown(yield* engine.stopSession(session.id)), shown(stopped))
        assert.strictEqual((yield* Effect.flip(say(session.id, "three")))._tag, "SessionStopped")
        assert.strictEqual((yield* Effect.flip(engine.stopSession("x")))._tag, "SessionNotFound")
        assert.deepStrictEqual(yield* standing(session.id), ["one cancelled", "two cancelled"])
      }).pipe(Effect.provide(ports.engine))
    )
  })

  it.effect("shareSession and unshareSession mark a session, including a stopped one, and change nothing else", () =>
    Effect.gen(function* () {
      const engine = yield* Engine
      const { session } = yield* create("one")
      assert.deepStrictEqual(shown(yield* engine.shareSession(session.id)), { ...shown(session), shared: true })
      const stopped = yield* engine.stopSession(session.id)
      assert.isTrue(stopped.shared)
      assert.deepStrictEqual(shown(yield* engine.shareSession(session.id)), shown(stopped))
      assert.deepStrictEqual(shown(yield* engine.unshareSession(session.id)), { ...shown(stopped), shared: false })
      assert.strictEqual((yield* Effect.flip(engine.shareSession("x")))._tag, "SessionNotFound")
      assert.strictEqual((yield* Effect.flip(engine.unshareSession("x")))._tag, "SessionNotFound")
    }).pipe(Effect.provide(ports.engine))
  )

  it.effect("createSession without a task makes an idle session, whose first message starts it", () =>
    Effect.gen(function* () {
      const engine = yield* Engine
      const { session: opened } = yield* engine.openSession({ keepAlive: false, recording: true })
      const { session, turns } = yield* engine.session(opened.id)
      assert.deepStrictEqual([session.status, session.keepAlive, session.recording, turns], ["active", false, true, []])
      yield* say(opened.id, "one")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing(opened.id), ["one completed"])
    }).pipe(Effect.provide(ports.engine))
  )

  for (const kind of ["streams", "leaves with its end"] as const) {
    it.effect.prop(
      `overlapping operations with an agent that ${kind} run one turn per session, lose none, and start none in a stopped session`,
      [Schema.Array(Step).check(Schema.isMinLength(4), Schema.isMaxLength(24))],
      ([steps]) => race(kind, steps),
      { arbitrary: { seed: 1, runs: 150 } }
    )
  }
})
