import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Turn from "../src/domain/Turn.ts"
import type { HandedOver } from "../src/ports/Agent.ts"
import type { StreamingAgent } from "../src/StreamingAgent.ts"
import { completed, request, standing, start, started, test } from "./starts.ts"
import { answer, asked, handOff, step, stored } from "./asking.ts"

describe("a request that makes a run ask a person", () => {
  /** An agent that works in steps of a minute, and keeps what people answered between them. */
  const working = () => {
    const outcomes: Array<HandedOver> = []
    const perform: StreamingAgent["perform"] = (_, attempt) =>
      Stream.concat(
        Stream.make(started),
        Stream.fromEffect(
          Effect.gen(function* () {
            yield* attempt.browser
            for (let n = 0; n < 3; n++) {
              yield* attempt.step(step)
              yield* Effect.sleep("1 minute")
              yield* attempt.stepEnded(null)
              outcomes.push(...(yield* attempt.handedOver("notes")))
            }
            return completed
          }).pipe(Effect.scoped)
        )
      )
    return { outcomes, perform }
  }

  const question = { reason: "question", question: "Is this the right shop?", choices: null } as const

  test(
    "makes the agent wait after the current step, and continue with the answer",
    Effect.gen(function* () {
      const { outcomes, perform } = working()
      const { engine } = yield* start("a", { perform })
      const { session, turn } = yield* engine.createSession(request)
      yield* TestClock.adjust("30 seconds")
      const waiting = yield* engine.ask(turn.id, question)
      assert.deepInclude(Turn.waitingFor(waiting), { askedBy: "api", whenUnanswered: "fail", until_ms: 630_000 })
      assert.strictEqual((yield* Effect.flip(engine.ask(turn.id, question)))._tag, "NotAsked")
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual((yield* stored(turn.id)).steps, 1)
      yield* engine.answer(turn.id, { questionId: "1", answer: "Yes", by: null })
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
      assert.deepStrictEqual(
        outcomes.map(({ outcome }) => outcome.answer),
        ["Yes"]
      )
      const over = yield* Effect.flip(engine.ask(turn.id, question))
      assert.deepInclude(over, { message: "Only a running run can ask a person" })
    })
  )

  for (const [reason, isDriven, isAccepted] of [
    ["question", false, false],
    ["question", true, true],
    ["approval", true, false]
  ] as const)
    test(
      `${isAccepted ? "accepts" : "refuses"} a late answer (${reason}) ${isDriven ? "while a person has control of the browser" : "while the agent is in a step"}`,
      Effect.gen(function* () {
        const { outcomes, perform } = working()
        const { engine } = yield* start("a", { perform })
        const { session, turn } = yield* engine.createSession(request)
        yield* TestClock.adjust("1 second")
        yield* engine.ask(turn.id, { ...question, reason, whenUnanswered: "skip", timeout_ms: 5000 })
        const { browserId } = (yield* engine.session(session.id)).session
        if (isDriven) yield* engine.takeControl(browserId ?? "", "ann", 40_000)
        yield* TestClock.adjust("5 seconds")
        const late = yield* Effect.exit(engine.answer(turn.id, { questionId: "1", answer: "Yes", by: "ann" }))
        assert.strictEqual(Exit.isSuccess(late), isAccepted)
        yield* TestClock.adjust("5 minutes")
        assert.strictEqual(outcomes[0]?.outcome.kind, isAccepted ? "answered" : "expired")
      })
    )

  test(
    "accepts an answer one millisecond before its deadline",
    Effect.gen(function* () {
      const { engine } = yield* start("a", { perform: working().perform })
      const { turn } = yield* engine.createSession(request)
      yield* TestClock.adjust("1 second")
      yield* engine.ask(turn.id, { ...question, timeout_ms: 5000 })
      yield* TestClock.adjust("4999 millis")
      yield* engine.answer(turn.id, { questionId: "1", answer: "Yes", by: "ann" })
    })
  )

  for (const [when, seconds, status] of [
    ["fails if its node is lost while the agent is still in a step, which isn't repeated", 30, "one failed node_lost"],
    ["continues on another node once its agent waits", 90, "one running"]
  ] as const)
    test(
      when,
      Effect.gen(function* () {
        const { engine } = yield* start("a", { perform: working().perform })
        const { session, turn } = yield* engine.createSession(request)
        yield* TestClock.adjust("1 second")
        yield* engine.ask(turn.id, question)
        yield* TestClock.adjust(`${seconds} seconds`)
        assert.deepStrictEqual(yield* standing(session.id), ["one running"])
        yield* start("b", { agent: { resumes: Turn.isPaused } })
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* standing(session.id), [status])
        assert.strictEqual((yield* stored(turn.id)).checkpoint, seconds > 60 ? "notes" : null)
      })
    )

  test(
    "gives the agent each outcome once, even if it arrives during a step",
    Effect.gen(function* () {
      const { outcomes, perform } = working()
      const { engine } = yield* start("a", { perform })
      const { turn } = yield* engine.createSession(request)
      for (const text of ["first", "second"]) {
        yield* engine.ask(turn.id, { ...question, question: text })
        const { questions = [] } = yield* engine.turn(turn.id)
        yield* engine.answer(turn.id, { questionId: String(questions.length), answer: text, by: null })
      }
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(
        outcomes.map(({ outcome }) => outcome.answer),
        ["first", "second"]
      )
    })
  )

  test(
    "gives the agent an answer that arrives during a step in which the agent asks as well",
    Effect.gen(function* () {
      const outcomes: Array<HandedOver | null> = []
      const perform: StreamingAgent["perform"] = (_, attempt) =>
        Stream.concat(
          Stream.make(started),
          Stream.fromEffect(
            Effect.gen(function* () {
              yield* attempt.step(step)
              yield* Effect.sleep("1 minute")
              outcomes.push(yield* attempt.ask(asked))
              yield* attempt.stepEnded(null)
              outcomes.push(...(yield* attempt.handedOver()))
              outcomes.push(...(yield* attempt.handedOver()))
              return completed
            })
          )
        )
      const { engine } = yield* start("a", { perform })
      const { session, turn } = yield* engine.createSession({ ...request, handOff })
      yield* TestClock.adjust("30 seconds")
      yield* engine.ask(turn.id, question)
      yield* engine.answer(turn.id, { questionId: "1", answer: "Yes", by: null })
      yield* TestClock.adjust("1 minute")
      yield* engine.answer(turn.id, { ...answer, questionId: "2" })
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
      assert.deepStrictEqual(
        outcomes.map((over) => over?.outcome.answer),
        ["Blue", "Yes"]
      )
    })
  )
})
