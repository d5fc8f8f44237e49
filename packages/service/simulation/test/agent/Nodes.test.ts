import { assert, describe, it } from "@effect/vitest"
import { Engine, MemoryStore, NodeId, SharedWork, Store, TimeOrderedIds } from "@webagent/engine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as ports from "../ports.ts"

const successful = { profile: { outcomes: { completed: 1 } } }

/** A node over the store of the test, which gets no hints of other nodes. */
const join = Effect.fnUntraced(function* (node: string) {
  const scope = yield* Scope.make()
  const layer = Engine.layerOf.pipe(
    Layer.provide(SharedWork.layer()),
    Layer.provide([ports.agent(successful), ports.browsers, TimeOrderedIds.layer, Layer.succeed(NodeId, node)]),
    Layer.provide(Logger.layer([])),
    Layer.fresh
  )
  const engine = Context.get(yield* Layer.buildWithScope(layer, scope), Engine)
  return { engine, close: Scope.close(scope, Exit.void) }
})

const request = {
  task: 'Buy a mug [simulate duration=1s ask="Which color?"]',
  modelParams: null,
  thinkingLevel: null,
  handOff: { timeout_ms: 600_000, whenUnanswered: "fail", pausesLimits: false }
} as const

const answer = { questionId: "1", answer: "Red", by: "ann" }

describe("a simulated run that waits for a person", () => {
  it.effect("continues with an answer that a third node accepts right after a second node took it over", () =>
    Effect.gen(function* () {
      const first = yield* join("a")
      yield* join("b")
      const { turn } = yield* first.engine.createSession(request)
      yield* TestClock.adjust("2 seconds")
      yield* first.close
      yield* TestClock.adjust("500 millis")
      const { engine } = yield* join("c")
      const waiting = yield* engine.turn(turn.id)
      assert.deepInclude(waiting, { status: "running", attempt: 2, node: "b" })
      yield* engine.answer(turn.id, answer)
      yield* TestClock.adjust("10 seconds")
      const { output, status } = yield* engine.turn(turn.id)
      assert.strictEqual(status, "completed")
      assert.match(String(output), /Answer: Red$/u)
    }).pipe(Effect.provide(MemoryStore.layer))
  )

  it.effect("continues with an answer right after another node made it ask", () =>
    Effect.gen(function* () {
      const { engine } = yield* join("a")
      const other = yield* join("b")
      const { turn } = yield* engine.createSession({ ...request, task: "Buy a mug [simulate steps=1 duration=2s]" })
      yield* TestClock.adjust("1 second")
      yield* other.engine.ask(turn.id, { reason: "question", question: "Which size?", choices: null })
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* engine.turn(turn.id)).status, "running")
      yield* other.engine.answer(turn.id, answer)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* engine.turn(turn.id)).status, "completed")
    }).pipe(Effect.provide(MemoryStore.layer))
  )

  it.effect("can ask while its node reads which runs are waiting, and the node still finds cancelled runs", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const turns: typeof store.lists.turns = (filter, after, limit) =>
        Effect.tap(store.lists.turns(filter, after, limit), () =>
          filter.waiting === true ? Effect.sleep("1 second") : Effect.void
        )
      const slow = { ...store, lists: { ...store.lists, turns } }
      const { engine } = yield* Effect.provideService(join("a"), Store, slow)
      const other = yield* join("b")
      // a node without work looks at most every 5 seconds
      yield* TestClock.adjust("4800 millis")
      const { turn } = yield* engine.createSession(request)
      const long = yield* engine.createSession({ ...request, task: "Buy a mug [simulate duration=1h]" })
      yield* TestClock.adjust("2 seconds")
      assert.lengthOf((yield* engine.turn(turn.id)).questions ?? [], 1)
      yield* other.engine.cancelTurn(long.turn.id)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(
        (yield* store.leasedTo("a")).map(({ id }) => id),
        [turn.sessionId]
      )
    }).pipe(Effect.provide(MemoryStore.layer))
  )

  it.effect("waits even if a request makes it ask before its node knows that it's stored as running", () =>
    Effect.gen(function* () {
      const store = yield* Store
      let ask: (turnId: string) => Effect.Effect<unknown, unknown> = () => Effect.void
      const commit: typeof store.commit = (step) =>
        Effect.tap(store.commit(step), () => {
          const begun = step.turns?.find((turn) => turn.status === "running" && turn.questions === undefined)
          return begun === undefined ? Effect.void : Effect.orDie(ask(begun.id))
        })
      const { engine } = yield* Effect.provideService(join("a"), Store, { ...store, commit })
      const other = yield* join("b")
      ask = (id) => engine.ask(id, { reason: "question", question: "Which size?", choices: null })
      const { turn } = yield* engine.createSession({ ...request, task: "Buy a mug [simulate steps=0 duration=1s]" })
      // before its node looks at the store again
      yield* TestClock.adjust("200 millis")
      assert.strictEqual((yield* engine.turn(turn.id)).status, "running")
      yield* other.engine.answer(turn.id, answer)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* engine.turn(turn.id)).status, "completed")
    }).pipe(Effect.provide(MemoryStore.layer))
  )
})
