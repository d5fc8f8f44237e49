import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import type { HandOff } from "../src/domain/Question.ts"
import * as Turn from "../src/domain/Turn.ts"
import * as LocalWork from "../src/LocalWork.ts"
import { Hints, makeEventHints } from "../src/ports/Hints.ts"
import { Store, StoreUnavailable } from "../src/ports/Store.ts"
import { Work } from "../src/ports/Work.ts"
import * as SharedWork from "../src/SharedWork.ts"
import { request, standing, start, test } from "./starts.ts"
import { answer, asked, asking, handOff, stored } from "./asking.ts"

/** The work of a process that only writes to the store. */
const idle = Work.of({
  offered: () => Effect.void,
  mayTake: () => false,
  isLost: () => Effect.succeed(false),
  serve: () => Effect.void
})

describe("a run that asks a person", () => {
  test(
    "waits, can be answered once, and continues with the answer",
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
    "fails, continues or skips the matter if no person answers, according to its hand-off",
    Effect.gen(function* () {
      const { outcomes, parts, paused } = asking()
      const { engine } = yield* start("a", parts)
      const create = (change: Partial<HandOff>) =>
        engine.createSession({ ...request, handOff: { ...handOff, pausesLimits: false, ...change } })
      const failing = yield* create({ whenUnanswered: "fail", timeout_ms: 90_000 })
      const brief = yield* create({ whenUnanswered: "fail", timeout_ms: 30_000 })
      const skipping = yield* create({ whenUnanswered: "skip" })
      yield* TestClock.adjust("90 seconds")
      assert.strictEqual((yield* stored(brief.turn.id)).error, "No person answered within 30 seconds: Which mug?")
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
    "continues after a person took control of its browser and released it, even if the time limit passed meanwhile",
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
      `doesn't continue after a take-over that the store ${isApplied ? "may have" : "has not"} kept`,
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
    "needs an answer for an approval, because driving the browser approves nothing",
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
    "ends immediately when it is cancelled, and then can't be answered",
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
    "keeps waiting on another node after a kill",
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
    "can be answered through another node",
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
    "gets another node's answer right after a failed read",
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

  test(
    "gets another process's answer 50 ms after the read for its hint failed",
    Effect.gen(function* () {
      const { outcomes, parts } = asking()
      const store = yield* Store
      const other = makeEventHints()
      const hints = { tell: () => Effect.void, heard: () => other.heardEvents, ...makeEventHints() }
      let failures = 0
      const turns: typeof store.lists.turns = (...asked) =>
        Effect.suspend(() =>
          failures-- > 0
            ? Effect.fail(new StoreUnavailable({ applied: "no", cause: "a test" }))
            : store.lists.turns(...asked)
        )
      const work = Layer.provide(LocalWork.layerLooking, Layer.succeed(Hints, hints))
      const { engine } = yield* start("a", { ...parts, work }).pipe(
        Effect.provideService(Store, { ...store, lists: { ...store.lists, turns } })
      )
      const { turn } = yield* engine.createSession({ ...request, handOff })
      yield* TestClock.adjust("1 second")
      const { engine: another } = yield* start("b", { work: Layer.succeed(Work, idle) })
      yield* another.answer(turn.id, answer)
      failures = 1
      yield* other.tellEvents
      yield* TestClock.adjust("49 millis")
      assert.lengthOf(outcomes, 0)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(outcomes[0]?.outcome.answer, "Blue")
    })
  )
})
