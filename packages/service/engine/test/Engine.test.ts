import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { layerStreamingAgent, type StreamingAgent } from "../src/StreamingAgent.ts"
import * as TestClock from "effect/testing/TestClock"
import type { Agent } from "../src/ports/Agent.ts"
import { AgentError } from "../src/ports/Agent.ts"
import type { TurnEvent } from "../src/domain/Turn.ts"
import { Engine } from "../src/Engine.ts"
import * as MemoryStore from "../src/MemoryStore.ts"
import { Store } from "../src/ports/Store.ts"
import * as ports from "./ports.ts"

/** An engine whose agent does what a test says. */
const withAgent = (perform: StreamingAgent["perform"]) =>
  Engine.layer.pipe(
    Layer.provide([
      layerStreamingAgent({ model: "test", version: "test-1", perform }),
      ports.browsers,
      MemoryStore.layer,
      ports.ids
    ]),
    // that an agent died is logged, which is not a test's business
    Layer.provide(Logger.layer([]))
  )

/** An engine over the store of the test, which outlives it. */
const overStore = (agent: Layer.Layer<Agent>) => Engine.layer.pipe(Layer.provide([agent, ports.browsers, ports.ids]))

const create = (task: string) =>
  Engine.use((engine) => engine.createSession({ task, modelParams: null, thinkingLevel: null }))

/** Tasks with their statuses, in the order of creation. */
const standing = Effect.fnUntraced(function* (sessionId: string) {
  const { turns } = yield* Engine.use((engine) => engine.session(sessionId))
  return turns.map((turn) => `${turn.task} ${turn.status}`)
})

const started: TurnEvent = { _tag: "Started" }

describe("Engine", () => {
  it.effect("moves a turn from queued through dispatching and running to completed, at the times of the clock", () =>
    Effect.gen(function* () {
      const engine = yield* Engine
      yield* TestClock.setTime(1000)
      const { session, turn } = yield* create("one")
      assert.strictEqual(turn.status, "queued")
      assert.deepStrictEqual(yield* standing(session.id), ["one dispatching"])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing(session.id), ["one running"])
      yield* TestClock.adjust("9 seconds")
      const done = yield* engine.turn(turn.id)
      assert.strictEqual(done.status, "completed")
      assert.deepStrictEqual([done.createdAt_ms, done.startedAt_ms, done.finishedAt_ms], [1000, 2000, 11_000])
    }).pipe(Effect.provide(ports.engine))
  )

  it.effect("runs one turn at a time, and messages in the order of their arrival", () =>
    Effect.gen(function* () {
      const engine = yield* Engine
      const { session } = yield* create("one")
      yield* engine.queue({ sessionId: session.id, text: "two", interrupt: false })
      yield* engine.queue({ sessionId: session.id, text: "three", interrupt: false })
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["one running", "two queued", "three queued"])
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed", "two running", "three queued"])
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed", "two completed", "three running"])
    }).pipe(Effect.provide(ports.engine))
  )

  it.effect("runs a follow-up with its session's model options and its own output schema", () =>
    Effect.gen(function* () {
      const engine = yield* Engine
      const modelParams = { temperature: 0 }
      const outputSchema = { type: "object" }
      const { session } = yield* engine.createSession({ task: "one", modelParams, thinkingLevel: null, outputSchema })
      yield* engine.queue({ sessionId: session.id, text: "two", interrupt: false })
      yield* engine.queue({ sessionId: session.id, text: "three", interrupt: true, outputSchema: { type: "string" } })
      const { turns } = yield* engine.session(session.id)
      assert.deepStrictEqual(
        turns.map((turn) => [turn.modelParams, turn.outputSchema]),
        [
          [modelParams, outputSchema],
          [modelParams, null],
          [modelParams, { type: "string" }]
        ]
      )
    }).pipe(Effect.provide(ports.engine))
  )

  it.effect("cancels the running turn on an interrupt, and runs the interrupting message before waiting ones", () =>
    Effect.gen(function* () {
      const engine = yield* Engine
      const { session } = yield* create("one")
      yield* engine.queue({ sessionId: session.id, text: "two", interrupt: false })
      yield* TestClock.adjust("5 seconds")
      yield* engine.queue({ sessionId: session.id, text: "now", interrupt: true })
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["one cancelled", "two queued", "now running"])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing(session.id), ["one cancelled", "two completed", "now completed"])
    }).pipe(Effect.provide(ports.engine))
  )

  it.effect("doesn't delay an interrupt by an agent that is slow to stop, but delays the next turn", () =>
    Effect.gen(function* () {
      const engine = yield* Engine
      const { session } = yield* create("one")
      yield* TestClock.adjust(1)
      yield* engine.queue({ sessionId: session.id, text: "now", interrupt: true })
      assert.deepStrictEqual(yield* standing(session.id), ["one cancelled", "now queued"])
      yield* TestClock.adjust("29 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["one cancelled", "now queued"])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing(session.id), ["one cancelled", "now running"])
    }).pipe(
      Effect.provide(
        withAgent(({ task }) =>
          Stream.concat(Stream.make(started), Stream.never).pipe(
            Stream.ensuring(task === "one" ? Effect.sleep("30 seconds") : Effect.void)
          )
        )
      )
    )
  )

  it.effect("starts a message to an idle session immediately, even after a failed turn", () =>
    Effect.gen(function* () {
      const engine = yield* Engine
      const { session } = yield* create("one fails")
      yield* TestClock.adjust("1 minute")
      const { turn } = yield* engine.queue({ sessionId: session.id, text: "two", interrupt: true })
      assert.strictEqual((yield* engine.turn(turn.id)).status, "dispatching")
      assert.strictEqual((yield* engine.session(session.id)).session.status, "active")
    }).pipe(Effect.provide(ports.engine))
  )

  it.effect("without keepAlive stops a session in the same step as its last turn, and refuses further messages", () =>
    Effect.gen(function* () {
      const engine = yield* Engine
      const { session } = yield* create("one stops")
      yield* engine.queue({ sessionId: session.id, text: "two", interrupt: false })
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* engine.session(session.id)).session.status, "active")
      yield* TestClock.adjust("10 seconds")
      const after = yield* engine.session(session.id)
      assert.strictEqual(after.session.status, "stopped")
      assert.strictEqual(after.session.finishedAt_ms, 20_000)
      const refused = yield* Effect.flip(engine.queue({ sessionId: session.id, text: "three", interrupt: false }))
      assert.strictEqual(refused._tag, "SessionStopped")
      assert.lengthOf((yield* engine.session(session.id)).turns, 2)
    }).pipe(Effect.provide(ports.engine))
  )

  it.effect("fails with typed errors for unknown ids", () =>
    Effect.gen(function* () {
      const engine = yield* Engine
      const failures = yield* Effect.all([
        Effect.flip(engine.session("x")),
        Effect.flip(engine.turn("x")),
        Effect.flip(engine.queue({ sessionId: "x", text: "", interrupt: false })),
        Effect.flip(engine.stopBrowser("x")),
        Effect.flip(Effect.scoped(engine.connectBrowser("x")))
      ])
      assert.deepStrictEqual(
        failures.map((failure) => failure._tag),
        ["SessionNotFound", "TurnNotFound", "SessionNotFound", "BrowserNotFound", "BrowserNotFound"]
      )
    }).pipe(Effect.provide(ports.engine))
  )

  for (const [name, perform, error] of [
    ["breaks down", () => Stream.fail(new AgentError({ message: "no browser to be had" })), "no browser to be had"],
    ["dies", () => Stream.die(new Error("a bug")), "a bug"],
    ["finishes without a result", () => Stream.make(started), "The agent stopped without reporting a result."],
    [
      "makes an invalid move",
      () => Stream.make<[TurnEvent]>({ _tag: "Completed", report: {} }),
      "The agent reported Completed while the turn was dispatching."
    ]
  ] as const satisfies ReadonlyArray<readonly [string, StreamingAgent["perform"], string]>) {
    it.effect(`fails the turn of an agent that ${name}, and starts the next one`, () =>
      Effect.gen(function* () {
        const engine = yield* Engine
        const { session, turn } = yield* create("one")
        yield* engine.queue({ sessionId: session.id, text: "two", interrupt: false })
        yield* TestClock.adjust(1)
        assert.strictEqual((yield* engine.turn(turn.id)).error, error)
        assert.deepStrictEqual(yield* standing(session.id), ["one failed", "two failed"])
      }).pipe(Effect.provide(withAgent(perform)))
    )
  }

  it.effect("continues an operation after its caller disconnects", () =>
    Effect.gen(function* () {
      const engine = yield* Engine
      const { session } = yield* create("one")
      const caller = yield* Effect.forkChild(engine.queue({ sessionId: session.id, text: "two", interrupt: false }), {
        startImmediately: true
      })
      caller.interruptUnsafe()
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed", "two completed"])
    }).pipe(Effect.provide(ports.engine))
  )

  it.effect("fails the running turn with a reason on close, and leaves waiting turns queued for the next start", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(overStore(ports.agent), scope)
      const { session } = yield* Effect.provideContext(
        Effect.gen(function* () {
          const created = yield* create("one")
          for (const text of ["two", "three"]) {
            yield* Engine.use((engine) => engine.queue({ sessionId: created.session.id, text, interrupt: false }))
          }
          yield* TestClock.adjust("5 seconds")
          return created
        }),
        context
      )
      yield* Scope.close(scope, Exit.void)
      const left = yield* Store.use((store) => store.turnsOf(session.id))
      assert.deepStrictEqual(
        left.map(({ failure, status }) => [status, failure]),
        [
          ["failed", "node_closed"],
          ["queued", null],
          ["queued", null]
        ]
      )
      yield* Effect.gen(function* () {
        yield* TestClock.adjust("5 seconds")
        const statuses = (yield* Store.use((store) => store.turnsOf(session.id))).map(({ status }) => status)
        assert.deepStrictEqual(statuses, ["failed", "running", "queued"])
      }).pipe(Effect.provide(overStore(ports.agent), { local: true }))
    }).pipe(Effect.provide(MemoryStore.layer))
  )
})
