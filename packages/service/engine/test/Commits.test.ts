import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Turn from "../src/domain/Turn.ts"

import { type Step, Store } from "../src/ports/Store.ts"
import * as SharedWork from "../src/SharedWork.ts"
import { completed, type Parts, request, standing, start, started, test } from "./starts.ts"

/** A node whose steps and reads of session states are noted. */
const noting = Effect.fnUntraced(function* (node: string, parts: Parts = {}) {
  const store = yield* Store
  const steps: Array<Step> = []
  const reads: Array<string> = []
  const noted = Store.of({
    ...store,
    commit: (step) => Effect.tap(store.commit(step), () => Effect.sync(() => void steps.push(step))),
    sessionState: (id) =>
      Effect.andThen(
        Effect.sync(() => void reads.push(id)),
        store.sessionState(id)
      )
  })
  const { engine } = yield* Effect.provideService(start(node, { work: SharedWork.layer(), ...parts }), Store, noted)
  return { engine, reads, steps }
})

const working: Parts["perform"] = () => Stream.concat(Stream.make(started), Stream.never)

describe("the steps of a run", () => {
  test(
    "begin with its take, and read no state of its session",
    Effect.gen(function* () {
      const { engine, reads, steps } = yield* noting("a", { perform: () => Stream.make(started, completed) })
      const { session, turn } = yield* engine.createSession(request)
      assert.strictEqual(turn.status, "queued")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
      assert.deepStrictEqual(reads, [])
      assert.deepStrictEqual(
        steps.map(({ events, turns }) => [
          turns?.map(({ attempt, node, status }) => [status, attempt, node]),
          events.map(({ from, of, to }) => `${of} ${from} ${to}`)
        ]),
        [
          [[["dispatching", 1, "a"]], ["session null active", "turn null queued", "turn queued dispatching"]],
          [[["running", 1, "a"]], ["turn dispatching running"]],
          [[["completed", 1, "a"]], ["turn running completed"]],
          // the agent is gone
          [[], []]
        ]
      )
    })
  )

  test(
    "are decided on the stored state if another node changed it",
    Effect.gen(function* () {
      const a = yield* noting("a", { perform: working })
      const b = yield* noting("b")
      const { session, turn } = yield* a.engine.createSession(request)
      yield* TestClock.adjust("100 millis")
      const question = { reason: "question", question: "Is this the right shop?", choices: null } as const
      yield* a.engine.ask(turn.id, question)
      assert.deepStrictEqual(a.reads, [])
      yield* b.engine.answer(turn.id, { questionId: "1", answer: "Yes", by: null })
      // in the state that this node stored last, the turn still waits for the first answer
      const again = yield* a.engine.ask(turn.id, { ...question, question: "And this?" })
      assert.strictEqual(Turn.waitingFor(again)?.question, "And this?")
      assert.deepStrictEqual(a.reads, [session.id])
    })
  )

  test(
    "that another node's step preceded are repeated after it",
    Effect.gen(function* () {
      const a = yield* noting("a", { perform: working })
      const b = yield* noting("b")
      const { session } = yield* a.engine.createSession(request)
      yield* TestClock.adjust("100 millis")
      yield* b.engine.shareSession(session.id)
      yield* a.engine.queue({ sessionId: session.id, text: "two", interrupt: false })
      assert.isTrue((yield* a.engine.session(session.id)).session.shared)
      assert.deepStrictEqual(yield* standing(session.id), ["one running", "two queued"])
    })
  )
})

test(
  "a node that drains stores a new run without taking it",
  Effect.gen(function* () {
    const { engine, steps } = yield* noting("a", { perform: working })
    yield* engine.drain("1 second")
    const { session } = yield* engine.createSession(request)
    assert.deepStrictEqual(yield* standing(session.id), ["one queued"])
    assert.lengthOf(steps, 1)
    assert.isNull(steps[0]?.session?.lease)
  })
)
