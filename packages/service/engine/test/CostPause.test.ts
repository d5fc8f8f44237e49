import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Turn from "../src/domain/Turn.ts"
import type { Asked, HandedOver } from "../src/ports/Agent.ts"
import { Store } from "../src/ports/Store.ts"
import { completed, type Parts, request, start, started, test } from "./starts.ts"

const asked: Asked = { reason: "max_cost", question: "More?", choices: null, askedBy: "rule" }

const budget = { cost: "0.50", tokens: 7, duration_ms: null }

/** An agent that asks at its cost limit, and keeps the outcomes. */
const asking = () => {
  const outcomes: Array<HandedOver | null> = []
  const paused: Array<number> = []
  const parts: Parts = {
    perform: (_turn, attempt) =>
      Stream.concat(
        Stream.make(started),
        Stream.fromEffect(
          Effect.gen(function* () {
            outcomes.push(yield* attempt.ask(asked))
            paused.push(yield* attempt.paused_ms)
            return completed
          })
        )
      )
  }
  return { parts, outcomes, paused }
}

const stored = (id: string) =>
  Effect.map(
    Store.use((store) => store.turn(id)),
    Option.getOrThrow
  )

const answer = (text: string) => ({ questionId: "1", answer: text, by: "ann" })

describe("a run that waits at its cost limit", () => {
  test(
    "stores the raised limit in the same step as the answer, and keeps its other limits",
    Effect.gen(function* () {
      const { outcomes, parts, paused } = asking()
      const { engine } = yield* start("a", parts)
      const { turn } = yield* engine.createSession({ ...request, budget, pausesAtCost: true })
      yield* TestClock.adjust("5 minutes")
      assert.deepInclude(Turn.waitingFor(yield* stored(turn.id)), { whenUnanswered: "fail", pausesLimits: true })
      for (const text of ["0.5", "0.50", "0.499", "-2", "1e9", "many", "", " "]) {
        const refused = yield* Effect.flip(engine.answer(turn.id, answer(text)))
        assert.strictEqual(refused._tag, "NotRaised", text)
      }
      const raised = yield* engine.answer(turn.id, answer(" 0.500000000001 "))
      assert.deepStrictEqual(raised.budget, { cost: "0.500000000001", tokens: 7, duration_ms: null })
      assert.strictEqual((yield* Effect.flip(engine.answer(turn.id, answer("2"))))._tag, "NotWaiting")
      yield* TestClock.adjust(0)
      assert.deepInclude(yield* stored(turn.id), { status: "completed", budget: raised.budget })
      assert.deepInclude(outcomes[0]?.outcome, { kind: "answered", by: "ann" })
      assert.deepStrictEqual(paused, [300_000])
    })
  )

  test(
    "keeps its limit if a person ends it",
    Effect.gen(function* () {
      const { outcomes, parts } = asking()
      const { engine } = yield* start("a", parts)
      const { turn } = yield* engine.createSession({ ...request, budget, pausesAtCost: true })
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* engine.answer(turn.id, answer("end"))).budget?.cost, "0.50")
      yield* TestClock.adjust(0)
      assert.deepInclude(outcomes[0]?.outcome, { kind: "answered", answer: "end" })
    })
  )

  test(
    "lets its agent decide how to finish if no person answers, whatever its hand-off says",
    Effect.gen(function* () {
      const { outcomes, parts } = asking()
      const { engine } = yield* start("a", parts)
      const handOff = { timeout_ms: 60_000, whenUnanswered: "continue", pausesLimits: false } as const
      const { turn } = yield* engine.createSession({ ...request, budget, handOff, pausesAtCost: true })
      yield* TestClock.adjust("59 seconds")
      assert.isNotNull(Turn.waitingFor(yield* stored(turn.id)))
      yield* TestClock.adjust("1 second")
      assert.deepInclude(outcomes[0]?.outcome, { kind: "expired", answer: null })
      assert.deepInclude(outcomes[0]?.question, { whenUnanswered: "fail" })
    })
  )
})
