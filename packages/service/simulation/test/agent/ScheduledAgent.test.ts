import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import {
  Agent,
  Engine,
  type Execution,
  MemoryStore,
  NodeId,
  type Reports,
  Store,
  TimeOrderedIds,
  Turn as Turns
} from "@webagent/engine"
import * as ScheduledAgent from "../../src/agent/ScheduledAgent.ts"
import * as ports from "../ports.ts"

type Turn = Turns.Turn
type TurnEvent = Turns.TurnEvent
type TurnSchedule = ScheduledAgent.TurnSchedule

const started: TurnEvent = { _tag: "Started" }
const completed: TurnEvent = { _tag: "Completed", report: {} }

/** What an agent foresees that starts after a second, ends ten later and takes half a minute to let go. */
const usual: TurnSchedule = {
  next: (turn) =>
    turn.status === "running"
      ? { at_ms: (turn.startedAt_ms ?? 0) + 10_000, event: () => completed }
      : { at_ms: (turn.dispatchedAt_ms ?? 0) + 1000, event: () => started },
  stopDelay_ms: () => 30_000
}

/** Uses a USD each second, and says so every three. */
const using: TurnSchedule = {
  ...usual,
  used: ({ startedAt_ms }, at_ms) => (startedAt_ms === null ? {} : { cost: String((at_ms - startedAt_ms) / 1000) }),
  usedEvery_ms: () => 3000
}

/** An engine over the store of the test, which outlives it. */
const overStore = (schedule: (turn: Turn) => TurnSchedule) =>
  Engine.layer.pipe(
    Layer.provide([
      Layer.succeed(Agent, ScheduledAgent.make({ model: "test", version: "test-1", schedule })),
      ports.browsers,
      TimeOrderedIds.layer
    ]),
    // that an agent died is logged, which is not a test's business
    Layer.provide(Logger.layer([]))
  )

const scheduling = (schedule: (turn: Turn) => TurnSchedule) => Layer.provide(overStore(schedule), MemoryStore.layer)

const create = (task: string) =>
  Engine.use((engine) => engine.createSession({ task, modelParams: null, thinkingLevel: null }))

/** Tasks with their statuses and errors, in the order of creation. */
const standing = Effect.fnUntraced(function* (sessionId: string) {
  const { turns } = yield* Engine.use((engine) => engine.session(sessionId))
  return turns.map(({ error, status, task }) => [task, status, ...(error === null ? [] : [error])].join(" "))
})

describe("ScheduledAgent", () => {
  it.effect("starts and finishes turns at the scheduled times", () =>
    Effect.gen(function* () {
      const engine = yield* Engine
      const { session, turn } = yield* create("one")
      yield* engine.queue({ sessionId: session.id, text: "two", interrupt: false })
      yield* TestClock.adjust(999)
      assert.deepStrictEqual(yield* standing(session.id), ["one dispatching", "two queued"])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* standing(session.id), ["one running", "two queued"])
      yield* TestClock.adjust(10_000)
      assert.deepStrictEqual(yield* standing(session.id), ["one completed", "two dispatching"])
      const { finishedAt_ms, startedAt_ms } = yield* engine.turn(turn.id)
      assert.deepStrictEqual([startedAt_ms, finishedAt_ms], [1000, 11_000])
    }).pipe(Effect.provide(scheduling(() => usual)))
  )

  it.effect("takes time to stop a cancelled turn, which delays the next turn but not the caller", () =>
    Effect.gen(function* () {
      const engine = yield* Engine
      const { session } = yield* create("one")
      yield* TestClock.adjust(2000)
      yield* engine.queue({ sessionId: session.id, text: "now", interrupt: true })
      assert.deepStrictEqual(yield* standing(session.id), ["one cancelled", "now queued"])
      yield* TestClock.adjust(29_999)
      assert.deepStrictEqual(yield* standing(session.id), ["one cancelled", "now queued"])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* standing(session.id), ["one cancelled", "now dispatching"])
    }).pipe(Effect.provide(scheduling(() => usual)))
  )

  for (const report of ["onEvent", "onProgress"] as const) {
    it.effect(`releases its lease if it is interrupted while ${report} is not stored`, () =>
      Effect.gen(function* () {
        const ended: Array<Turns.TurnEvent["_tag"]> = []
        /** The engine's response to a report under a lease that is over: it interrupts the agent and stores nothing. */
        const refuse = (execution: Execution) => Effect.sync(() => void execution.interrupt("asked"))
        const reports: Reports = {
          attempt: () => Effect.die("a scheduled agent works in no browser"),
          onEvent: (execution) =>
            report === "onEvent"
              ? refuse(execution)
              : Effect.succeed({ ...execution.turn, status: "running", startedAt_ms: 1000 }),
          onProgress: refuse,
          onEnd: (_, ending) => Effect.sync(() => void ended.push(ending._tag)),
          onCrash: (_, defect) => Effect.die(defect)
        }
        const agent = ScheduledAgent.make({ model: "test", version: "test-1", schedule: () => using })
        const fields = { id: "t", sessionId: "s", task: "one", model: "test", agentVersion: "test-1" }
        const turn = { ...Turns.make({ ...fields, modelParams: null, createdAt_ms: 0 }), dispatchedAt_ms: 0 }
        const execution = (yield* agent.serve(reports))(turn, 1)
        execution.begin()
        yield* TestClock.adjust(4000)
        assert.deepStrictEqual(ended, [])
        yield* TestClock.adjust(30_000)
        assert.deepStrictEqual(ended, ["Cancelled"])
      }).pipe(Effect.scoped)
    )
  }

  it.effect("releases turns that haven't started immediately when the engine closes", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(
        overStore(() => usual),
        scope
      )
      const engine = Context.get(context, Engine)
      const request = { task: "one", modelParams: null, thinkingLevel: null }
      const { turn } = yield* engine.createSession(request)
      const other = yield* engine.createSession(request)
      yield* engine.cancelTurn(turn.id)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(Option.getOrThrow(yield* store.turn(other.turn.id)).status, "queued")
      assert.strictEqual(yield* Clock.currentTimeMillis, 0)
    }).pipe(Effect.provide(MemoryStore.layer))
  )

  it.effect("stores the usage of a turn continuously, so that it survives a cancel, an interrupt and a crash", () =>
    Effect.gen(function* () {
      /** A process that is killed by never being closed. */
      const process = Effect.fnUntraced(function* (node: string) {
        const layer = Layer.fresh(
          Layer.provide(
            overStore(() => using),
            Layer.succeed(NodeId, node)
          )
        )
        return Context.get(yield* Layer.buildWithScope(layer, yield* Scope.make()), Engine)
      })
      const engine = yield* process("first")
      const created = Effect.provideService(create("one"), Engine, engine)
      const cost = (id: string) => Effect.map(engine.turn(id), (turn) => `${turn.status} ${turn.cost}`)
      const crashed = yield* created
      const cancelled = yield* created
      const interrupted = yield* created
      yield* TestClock.adjust(3999)
      assert.strictEqual(yield* cost(crashed.turn.id), "running null")
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* cost(crashed.turn.id), "running 3")
      yield* TestClock.adjust(500)
      yield* engine.cancelTurn(cancelled.turn.id)
      yield* engine.queue({ sessionId: interrupted.session.id, text: "now", interrupt: true })
      assert.strictEqual(yield* cost(cancelled.turn.id), "cancelled 3")
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* cost(cancelled.turn.id), "cancelled 33.5")
      assert.strictEqual(yield* cost(interrupted.turn.id), "cancelled 33.5")
      assert.strictEqual(yield* cost(crashed.turn.id), "completed 9")
      const killed = yield* created
      yield* TestClock.adjust(8000)
      yield* process("second")
      assert.strictEqual(yield* cost(killed.turn.id), "failed 6")
    }).pipe(Effect.provide(MemoryStore.layer))
  )

  it.effect("fails a turn whose schedule throws or contains an invalid move, and starts the next one", () =>
    Effect.gen(function* () {
      const engine = yield* Engine
      const { session } = yield* create("throws")
      yield* engine.queue({ sessionId: session.id, text: "is wrong", interrupt: false })
      yield* engine.queue({ sessionId: session.id, text: "fine", interrupt: false })
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing(session.id), [
        "throws failed a bug",
        "is wrong failed The agent reported Completed while the turn was dispatching.",
        "fine completed"
      ])
    }).pipe(
      Effect.provide(
        scheduling(({ task }) => ({
          ...usual,
          next: (turn) => {
            const scheduled = usual.next(turn)
            if (task === "is wrong") return { ...scheduled, event: () => completed }
            if (task === "fine") return scheduled
            return {
              ...scheduled,
              event: () => {
                throw new Error("a bug")
              }
            }
          }
        }))
      )
    )
  )
})
