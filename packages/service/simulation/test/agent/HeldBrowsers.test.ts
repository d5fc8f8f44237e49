import { assert, describe, it } from "@effect/vitest"
import { Engine, MemoryStore, Store, TimeOrderedIds } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as SimulatedService from "../../src/SimulatedService.ts"

/** An engine with one simulated browser. */
const layer = Engine.layer.pipe(
  Layer.provideMerge(MemoryStore.layer),
  Layer.provide([SimulatedService.layerPorts({ browsers: { most: 1 } }), TimeOrderedIds.layer])
)

const create = (task: string, queueTimeout_ms = 60_000) =>
  Engine.use((engine) => engine.createSession({ task, modelParams: null, thinkingLevel: null, queueTimeout_ms }))

const turn = (id: string) => Engine.use((engine) => engine.turn(id))

describe("a simulated run without a free browser", () => {
  it.effect("waits until the run before has finished, and the idle browser gives way", () =>
    Effect.gen(function* () {
      const first = yield* create("one [simulate duration=10s]")
      const second = yield* create("two [simulate duration=1s]")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* turn(first.turn.id)).status, "running")
      const waiting = yield* turn(second.turn.id)
      assert.strictEqual(waiting.status, "dispatching")
      assert.deepInclude(waiting.browserQueue, { position: 1, reason: "browsers" })
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* turn(second.turn.id)).status, "completed")
      const { browsers } = yield* Store.use((store) => store.records)
      assert.deepStrictEqual(
        browsers.map(({ sessionId, stopReason }) => [sessionId, stopReason]),
        [
          [first.session.id, "idle"],
          [second.session.id, null]
        ]
      )
    }).pipe(Effect.provide(Layer.fresh(layer)))
  )

  it.effect("leaves the queue if it's cancelled, and fails at its deadline", () =>
    Effect.gen(function* () {
      yield* create("one [simulate duration=1h]")
      const cancelled = yield* create("two")
      const late = yield* create("three", 5000)
      yield* TestClock.adjust("2 seconds")
      yield* Engine.use((engine) => engine.cancelTurn(cancelled.turn.id))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* turn(cancelled.turn.id)).status, "cancelled")
      yield* Engine.use(({ queue }) => queue({ sessionId: cancelled.session.id, text: "four", interrupt: false }))
      yield* TestClock.adjust("2 seconds")
      assert.deepInclude(yield* turn(late.turn.id), { status: "failed", failure: "no_browser" })
      const [, next] = (yield* Engine.use((engine) => engine.session(cancelled.session.id))).turns
      assert.strictEqual(next?.status, "dispatching")
    }).pipe(Effect.provide(Layer.fresh(layer)))
  )

  it.effect("keeps its browser while it waits for a person, and is cancelled with it", () =>
    Effect.gen(function* () {
      const handOff = { timeout_ms: 600_000, whenUnanswered: "fail", pausesLimits: false } as const
      const task = 'Buy a mug [simulate duration=1s ask="Which color?"]'
      const asking = yield* Engine.use((engine) =>
        engine.createSession({ task, modelParams: null, thinkingLevel: null, handOff })
      )
      const second = yield* create("two [simulate duration=1s]")
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual((yield* turn(asking.turn.id)).status, "running")
      assert.strictEqual((yield* turn(second.turn.id)).status, "dispatching")
      yield* Engine.use((engine) => engine.cancelTurn(asking.turn.id))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* turn(second.turn.id)).status, "completed")
    }).pipe(Effect.provide(Layer.fresh(layer)))
  )
})
