import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { HandOff } from "../src/domain/Question.ts"
import * as Turn from "../src/domain/Turn.ts"
import type { Asked, HandedOver } from "../src/ports/Agent.ts"
import { Store, StoreUnavailable } from "../src/ports/Store.ts"
import * as SharedWork from "../src/SharedWork.ts"
import type { StreamingAgent } from "../src/StreamingAgent.ts"
import { completed, type Parts, request, standing, start, started, test } from "./starts.ts"

const asked: Asked = { reason: "question", question: "Which mug?", choices: ["Red", "Blue"], askedBy: "agent" }

const handOff: HandOff = { timeout_ms: 600_000, whenUnanswered: "continue", pausesLimits: true }

const step = { summary: "click", address: null, picture: null }

/** An agent that asks a person in its browser, and keeps the outcomes and the time for which its limits stood still. */
const asking = (question: Asked = asked) => {
  const outcomes: Array<HandedOver | null> = []
  const paused: Array<number> = []
  const perform: StreamingAgent["perform"] = (turn, attempt) => {
    const work = Effect.gen(function* () {
      yield* attempt.browser
      if (Turn.isHandedOver(turn)) outcomes.push(...(yield* attempt.handedOver()))
      else {
        yield* attempt.step(step)
        outcomes.push(yield* attempt.ask(question, "notes"))
        yield* attempt.stepEnded(null)
      }
      paused.push(yield* attempt.paused_ms)
      return completed
    })
    return Stream.concat(
      turn.status === "running" ? Stream.empty : Stream.make(started),
      Stream.fromEffect(Effect.scoped(work))
    )
  }
  const parts: Parts = { perform, agent: { resumes: Turn.isPaused } }
  return { parts, outcomes, paused }
}

const stored = (id: string) =>
  Effect.map(
    Store.use((store) => store.turn(id)),
    Option.getOrThrow
  )

const answer = { questionId: "1", answer: "Blue", by: "ann" }

describe("a run that asks a person", () => {
  test(
    "waits, is answered once, and goes on with the answer",
    Effect.gen(function* () {
      const { outcomes, parts, paused } = asking()
      const { engine } = yield* start("a", parts)
      const { session, turn } = yield* engine.createSession({ ...request, handOff })
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(Turn.waitingFor(yield* engine.turn(turn.id)), {
        id: "1",
        question: "Which mug?",
        choices: ["Red", "Blue"],
        askedAt_ms: 0,
        until_ms: 600_000
      })
      assert.strictEqual((yield* stored(turn.id)).checkpoint, "notes")
      const wrong = yield* Effect.flip(engine.answer(turn.id, { ...answer, answer: "Green" }))
      assert.strictEqual(wrong._tag, "NotAChoice")
      const another = yield* Effect.flip(engine.answer(turn.id, { ...answer, questionId: "2" }))
      assert.strictEqual(another._tag, "NotWaiting")
      const answers = yield* Effect.forEach(
        ["Red", "Blue"],
        (text) => Effect.exit(engine.answer(turn.id, { ...answer, answer: text })),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(answers.filter(Exit.isSuccess), 1)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
      assert.deepInclude(outcomes[0]?.outcome, { kind: "answered", answer: "Red", by: "ann", at_ms: 60_000 })
      assert.deepStrictEqual(paused, [60_000])
      const events = yield* Store.use((store) => store.eventsOf(turn.id, 0, 100))
      assert.deepStrictEqual(
        events.flatMap(({ event }) => (event.question === undefined ? [] : [event.question])),
        [
          { id: "1", change: "waiting" },
          { id: "1", change: "answered" }
        ]
      )
      assert.strictEqual((yield* Effect.flip(engine.answer(turn.id, answer)))._tag, "NotWaiting")
    })
  )

  test(
    "asks again if the store lost the question while another step was stored",
    Effect.gen(function* () {
      const { outcomes, parts } = asking()
      const store = yield* Store
      let follow: (sessionId: string) => Effect.Effect<unknown, unknown> = () => Effect.void
      let lost = 0
      const { engine } = yield* start("a", parts).pipe(
        Effect.provideService(Store, {
          ...store,
          commit: (step) =>
            lost > 0 || !(step.turns ?? []).some(({ questions = [] }) => questions.length > 0)
              ? store.commit(step)
              : Effect.suspend(() => {
                  lost++
                  const error = new StoreUnavailable({ applied: "unknown", cause: "a test" })
                  return Effect.andThen(Effect.orDie(follow(step.session?.id ?? "")), Effect.fail(error))
                })
        })
      )
      follow = (sessionId) => engine.queue({ sessionId, text: "two", interrupt: false })
      const { turn } = yield* engine.createSession({ ...request, handOff })
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(Turn.waitingFor(yield* stored(turn.id)), { question: "Which mug?" })
      yield* engine.answer(turn.id, answer)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual([lost, outcomes[0]?.outcome.answer], [1, "Blue"])
    })
  )

  test(
    "fails, goes on or leaves the matter out if no person answers, as its hand-off says",
    Effect.gen(function* () {
      const { outcomes, parts, paused } = asking()
      const { engine } = yield* start("a", parts)
      const create = (change: Partial<HandOff>) =>
        engine.createSession({ ...request, handOff: { ...handOff, pausesLimits: false, ...change } })
      const failing = yield* create({ whenUnanswered: "fail", timeout_ms: 90_000 })
      const skipping = yield* create({ whenUnanswered: "skip" })
      yield* TestClock.adjust("90 seconds")
      assert.deepStrictEqual(yield* standing(failing.session.id), ["one failed unanswered"])
      assert.strictEqual((yield* stored(failing.turn.id)).error, "No person answered within 1.5 minutes: Which mug?")
      assert.deepStrictEqual(yield* standing(skipping.session.id), ["one running"])
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* standing(skipping.session.id), ["one completed"])
      assert.deepInclude(outcomes[0]?.outcome, { kind: "expired", answer: null, at_ms: 600_000 })
      assert.deepStrictEqual(paused, [0])
    })
  )

  test(
    "goes on after a person took control of its browser and gave it back, also when the time is over meanwhile",
    Effect.gen(function* () {
      const { outcomes, parts } = asking()
      const { engine } = yield* start("a", parts)
      const { session } = yield* engine.createSession({ ...request, handOff })
      yield* TestClock.adjust("9 minutes")
      const [browser] = (yield* Store.use((store) => store.records)).browsers
      yield* engine.takeControl(browser?.id ?? "", "ann", 300_000)
      yield* TestClock.adjust("3 minutes")
      assert.deepStrictEqual(yield* standing(session.id), ["one running"])
      yield* engine.releaseControl(browser?.id ?? "", "ann")
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
      assert.deepInclude(outcomes[0]?.outcome, { kind: "handed_back", by: "ann", answer: null })
      assert.isTrue(outcomes[0]?.wasDriven)
    })
  )

  for (const isApplied of [false, true])
    test(
      `doesn't go on after a take-over that the store ${isApplied ? "may have" : "has not"} kept`,
      Effect.gen(function* () {
        const { outcomes, parts } = asking()
        const store = yield* Store
        let isAway = true
        const { engine } = yield* start("a", parts).pipe(
          Effect.provideService(Store, {
            ...store,
            commit: (step) =>
              Effect.suspend(() => {
                if (!isAway || step.browser?.driver == null) return store.commit(step)
                const error = new StoreUnavailable({ applied: isApplied ? "unknown" : "no", cause: "a test" })
                return Effect.andThen(isApplied ? store.commit(step) : Effect.void, Effect.fail(error))
              })
          })
        )
        const { session } = yield* engine.createSession({ ...request, handOff })
        yield* TestClock.adjust("1 second")
        const { browserId } = (yield* engine.session(session.id)).session
        const id = browserId ?? ""
        const refused = yield* Effect.flip(engine.takeControl(id, "ann", 60_000))
        assert.strictEqual(refused._tag, "StoreUnavailable")
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* standing(session.id), ["one running"])
        assert.isNull(yield* engine.controlOf(id))
        assert.isNull((yield* engine.browser(id)).driver)
        isAway = false
        yield* engine.takeControl(id, "bob", 60_000)
        yield* engine.releaseControl(id, "bob")
        yield* TestClock.adjust(0)
        assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
        assert.deepInclude(outcomes[0]?.outcome, { kind: "handed_back", by: "bob" })
      })
    )

  test(
    "needs an answer for an approval: a person who only drives the browser has approved nothing",
    Effect.gen(function* () {
      const { outcomes, parts } = asking({
        ...asked,
        reason: "approval",
        askedBy: "rule",
        choices: ["Approve", "Refuse"]
      })
      const { engine } = yield* start("a", parts)
      const { session, turn } = yield* engine.createSession({ ...request, handOff })
      yield* TestClock.adjust("1 second")
      const [browser] = (yield* Store.use((store) => store.records)).browsers
      yield* engine.takeControl(browser?.id ?? "", "ann", 60_000)
      yield* engine.releaseControl(browser?.id ?? "", "ann")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing(session.id), ["one running"])
      yield* engine.answer(turn.id, { ...answer, answer: "Refuse" })
      yield* TestClock.adjust(0)
      assert.deepInclude(outcomes[0]?.outcome, { kind: "answered", answer: "Refuse" })
    })
  )

  test(
    "ends at once when it is cancelled, and can't be answered then",
    Effect.gen(function* () {
      const { engine } = yield* start("a", asking().parts)
      const { session, turn } = yield* engine.createSession({ ...request, handOff })
      yield* TestClock.adjust("1 second")
      yield* engine.cancelTurn(turn.id)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(yield* standing(session.id), ["one cancelled"])
      assert.strictEqual((yield* Effect.flip(engine.answer(turn.id, answer)))._tag, "NotWaiting")
      assert.isNull(Turn.waitingFor(yield* engine.turn(turn.id)))
    })
  )

  test(
    "goes on waiting at another node after a kill",
    Effect.gen(function* () {
      const first = asking()
      const { engine } = yield* start("a", first.parts)
      const { session, turn } = yield* engine.createSession({ ...request, handOff })
      yield* TestClock.adjust("1 second")
      const second = asking()
      const other = yield* start("b", second.parts)
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(Turn.waitingFor(yield* stored(turn.id)), { id: "1", until_ms: 600_000 })
      yield* other.engine.answer(turn.id, answer)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
      assert.deepInclude(second.outcomes[0]?.outcome, { kind: "answered", answer: "Blue" })
      // the node that was killed was only frozen
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(first.outcomes, [])
    })
  )

  test(
    "is answered through another node",
    Effect.gen(function* () {
      const { outcomes, parts } = asking()
      const { engine } = yield* start("a", { ...parts, work: SharedWork.layer() })
      const other = yield* start("b", { work: SharedWork.layer() })
      const { session, turn } = yield* engine.createSession({ ...request, handOff })
      yield* TestClock.adjust("1 second")
      yield* other.engine.answer(turn.id, answer)
      // hints of this test's nodes are lost
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
      assert.strictEqual(outcomes[0]?.outcome.answer, "Blue")
    })
  )

  test(
    "gets an answer of another node right after a look that failed",
    Effect.gen(function* () {
      const { outcomes, parts } = asking()
      const store = yield* Store
      let isAway = false
      const turns: typeof store.lists.turns = (...asked) =>
        Effect.suspend(() =>
          isAway ? Effect.fail(new StoreUnavailable({ applied: "no", cause: "a test" })) : store.lists.turns(...asked)
        )
      const { engine } = yield* start("a", { ...parts, work: SharedWork.layer() }).pipe(
        Effect.provideService(Store, { ...store, lists: { ...store.lists, turns } })
      )
      const other = yield* start("b", { work: SharedWork.layer() })
      const { turn } = yield* engine.createSession({ ...request, handOff })
      // the last look was at 5 seconds or before
      yield* TestClock.adjust("5200 millis")
      yield* other.engine.answer(turn.id, answer)
      isAway = true
      yield* TestClock.adjust("1 second")
      assert.lengthOf(outcomes, 0)
      isAway = false
      yield* TestClock.adjust("1 second")
      assert.strictEqual(outcomes[0]?.outcome.answer, "Blue")
    })
  )
})

describe("control of a browser", () => {
  test(
    "can't be taken once it has stopped, and ends when it stops, so that its agent goes on",
    Effect.gen(function* () {
      const { engine } = yield* start("a", {
        perform: (_, attempt) =>
          Stream.concat(
            Stream.make(started),
            Stream.fromEffect(
              Effect.gen(function* () {
                yield* attempt.browser
                yield* Effect.sleep("2 seconds")
                yield* attempt.step(step)
                return completed
              }).pipe(Effect.scoped)
            )
          )
      })
      const { session } = yield* engine.createSession(request)
      yield* TestClock.adjust("1 second")
      const { browserId } = (yield* engine.session(session.id)).session
      const id = browserId ?? ""
      yield* engine.takeControl(id, "ann", 600_000)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["one running"])
      yield* engine.stopBrowser(id)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
      assert.isNull(yield* engine.controlOf(id))
      assert.deepInclude(yield* Effect.flip(engine.takeControl(id, "ann", 1000)), { _tag: "BrowserStopped", id })
      assert.isNull(yield* engine.controlOf(id))
    })
  )

  test(
    "has an agent in the middle of a step wait before its next action",
    Effect.gen(function* () {
      const waits: Array<boolean> = []
      const { engine } = yield* start("a", {
        perform: (_, attempt) =>
          Stream.concat(
            Stream.make(started),
            Stream.fromEffect(
              Effect.gen(function* () {
                yield* attempt.browser
                yield* attempt.step(step)
                waits.push(yield* attempt.untilFree)
                yield* Effect.sleep("2 seconds")
                waits.push(yield* attempt.untilFree)
                waits.push(yield* attempt.untilFree)
                return completed
              }).pipe(Effect.scoped)
            )
          )
      })
      const { session } = yield* engine.createSession(request)
      yield* TestClock.adjust("1 second")
      const { browserId } = (yield* engine.session(session.id)).session
      yield* engine.takeControl(browserId ?? "", "ann", 60_000)
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(waits, [false])
      yield* engine.releaseControl(browserId ?? "", "ann")
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(waits, [false, true, false])
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
    })
  )
})

describe("a request that has a run ask a person", () => {
  /** An agent that works in steps of a minute, and keeps what people answered between them. */
  const working = () => {
    const outcomes: Array<HandedOver> = []
    const perform: StreamingAgent["perform"] = (_, attempt) =>
      Stream.concat(
        Stream.make(started),
        Stream.fromEffect(
          Effect.gen(function* () {
            for (let n = 0; n < 3; n++) {
              yield* attempt.step(step)
              yield* Effect.sleep("1 minute")
              yield* attempt.stepEnded(null)
              outcomes.push(...(yield* attempt.handedOver("notes")))
            }
            return completed
          })
        )
      )
    return { outcomes, perform }
  }

  const question = { reason: "question", question: "Is this the right shop?", choices: null } as const

  test(
    "has its agent wait after the current step, and go on with the answer",
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

  for (const [when, seconds, status] of [
    ["fails if its node is lost while the agent is still in a step, which isn't repeated", 30, "one failed node_lost"],
    ["goes on at another node once its agent waits", 90, "one running"]
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
    "gives the agent each outcome once, also one that came within a step",
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
    "gives the agent an answer that came within a step in which the agent asks, too",
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
