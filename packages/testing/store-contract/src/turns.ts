import { assert } from "@effect/vitest"
import { Store } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { change, commit, creation, newTurn, type StoreTest } from "./steps.ts"

/** Sessions with their turns, and the steps and model calls of these. */
export const turns = (test: StoreTest): void => {
  test("returns a session's open turns and the leased one, in the order of creation", function* () {
    const store = yield* Store
    const state = Effect.map(store.sessionState("s1"), (stored) => {
      const { session, turns } = Option.getOrThrow(stored)
      return [session.lease?.token ?? null, ...turns.map(({ id, status }) => `${id} ${status}`)]
    })
    yield* commit(creation("1"))
    yield* change("s1", { _tag: "Take", node: "n" })
    yield* change("s1", { _tag: "Queue", turn: newTurn("t2", "s1"), interrupt: false })
    yield* change("s1", { _tag: "Queue", turn: newTurn("t3", "s1"), interrupt: true })
    assert.deepStrictEqual(yield* state, [2, "t1 cancelled", "t2 queued", "t3 queued"])
    yield* change("s1", { _tag: "LetGo", token: 2, ending: { _tag: "Cancelled" }, goesOn: true })
    assert.deepStrictEqual(yield* state, [5, "t2 queued", "t3 dispatching"])
    yield* change("s1", { _tag: "Stop" })
    yield* change("s1", { _tag: "LetGo", token: 5, ending: { _tag: "Cancelled" }, goesOn: true })
    assert.deepStrictEqual(yield* state, [null])
    assert.deepStrictEqual((yield* store.unfinished(10)).sessions, [])
    assert.deepStrictEqual(
      (yield* store.turnsOf("s1")).map(({ id, status }) => `${id} ${status}`),
      ["t1 cancelled", "t2 cancelled", "t3 cancelled"]
    )
  })

  test("keeps the options of a turn and its session, raises its cost limit with an answer, and deletes its secrets at its end", function* () {
    const store = yield* Store
    const pin = { alias: "pin", domains: ["shop.example"], server: null, sealed: "one.abc" }
    const user = { alias: "user", domains: ["*.shop.example"], server: "shop", sealed: null }
    const secrets = [pin, user]
    const options = {
      judge: { isOn: true, context: "4 digits", model: "small" },
      metadata: { order: "17" },
      pausesAtCost: true,
      budget: { cost: "0.5", tokens: null, duration_ms: null }
    }
    const browser = {
      proxyCountryCode: "de",
      screen: { width: 800, height: 600 },
      languages: ["de-DE"],
      timeZone: "UTC",
      userAgent: "Robot/1.0"
    }
    const { session, ...first } = creation("1")
    yield* commit({
      ...first,
      ...(session === undefined ? {} : { session: { ...session, browser } }),
      turns: (first.turns ?? []).map((turn) => ({ ...turn, ...options, secrets }))
    })
    const turn = Effect.map(store.turn("t1"), Option.getOrThrow)
    assert.deepInclude(yield* turn, { ...options, secrets })
    assert.deepStrictEqual(Option.getOrThrow(yield* store.session("s1")).browser, browser)
    yield* change("s1", { _tag: "Take", node: "n" })
    yield* change("s1", { _tag: "Report", token: 2, event: { _tag: "Started" }, leaves: false })
    const request = { reason: "max_cost", question: "More?", choices: null, askedBy: "rule" } as const
    const handOff = { timeout_ms: 1000, whenUnanswered: "fail", pausesLimits: true } as const
    yield* change("s1", { _tag: "Progress", token: 2, progress: { ask: { ...request, ...handOff } } })
    yield* change("s1", { _tag: "Answer", turnId: "t1", questionId: "1", answer: "0.75", by: "ann" })
    assert.deepInclude(yield* turn, { budget: { ...options.budget, cost: "0.75" }, secrets })
    yield* change("s1", { _tag: "Cancel", turnId: "t1" })
    assert.deepStrictEqual((yield* turn).secrets, [{ ...pin, sealed: null }, user])
  })

  test("keeps a turn's model calls in order, and a repeated one once", function* () {
    const store = yield* Store
    yield* commit(creation("1"))
    yield* change("s1", { _tag: "Take", node: "n" })
    yield* change("s1", { _tag: "Report", token: 2, event: { _tag: "Started" }, leaves: false, goesOn: true })
    const made = { duration_ms: 20, model: "m", cost: "0.5", step: 1, failure: null }
    for (const at_ms of [5, 6, 7]) {
      const call = { ...made, at_ms, tokens: { input: at_ms, output: 1 } }
      yield* change("s1", { _tag: "Progress", token: 2, progress: { call, used: { cost: String(at_ms) } } }, 8)
    }
    const calls = yield* store.modelCallsOf("t1")
    assert.deepStrictEqual(
      calls.map(({ at_ms, ordinal, turnId }) => `${turnId} ${ordinal} ${at_ms}`),
      ["t1 1 5", "t1 2 6", "t1 3 7"]
    )
    assert.deepStrictEqual(calls[1], { ...made, turnId: "t1", ordinal: 2, at_ms: 6, tokens: { input: 6, output: 1 } })
    assert.deepInclude(Option.getOrThrow(yield* store.turn("t1")), { cost: "7", modelCalls: 3 })
    // the last of two records of one call in a commit
    const again = { turnId: "t1", ordinal: 2, ...made, tokens: null }
    yield* commit({
      modelCalls: [
        { ...again, at_ms: 4 },
        { ...again, at_ms: 9 }
      ],
      events: []
    })
    assert.deepStrictEqual(
      (yield* store.modelCallsOf("t1")).map(({ at_ms }) => at_ms),
      [5, 9, 7]
    )
    assert.lengthOf((yield* store.records).modelCalls, 3)
  })

  test("keeps a turn's steps in order", function* () {
    const store = yield* Store
    yield* commit(creation("1"))
    yield* change("s1", { _tag: "Take", node: "n" })
    yield* change("s1", { _tag: "Report", token: 2, event: { _tag: "Started" }, leaves: false, goesOn: true })
    for (const summary of ["one", "two", "three"]) {
      const step = { summary, address: "https://example.com", picture: null }
      yield* change("s1", { _tag: "Progress", token: 2, progress: { step } }, 7)
    }
    assert.deepStrictEqual(
      (yield* store.stepsOf("t1")).map(({ beganAt_ms, ordinal, summary }) => `${ordinal} ${summary} ${beganAt_ms}`),
      ["1 one 7", "2 two 7", "3 three 7"]
    )
    const [, second] = yield* store.stepsOf("t1")
    assert.isDefined(second)
    const ended = { step: second, failure: "no such page" }
    yield* change("s1", { _tag: "Progress", token: 2, progress: { ended } }, 9)
    assert.deepStrictEqual(
      (yield* store.stepsOf("t1")).map(({ ended, summary }) => [summary, ended]),
      [
        ["one", undefined],
        ["two", { at_ms: 9, failure: "no such page" }],
        ["three", undefined]
      ]
    )
  })

  test("finds each of many turns", function* () {
    const store = yield* Store
    const names = Array.from({ length: 1000 }, (_, index) => `n${index}`)
    yield* Effect.forEach(names, (each, index) => commit(creation(each, index)), { discard: true })
    for (const each of ["n0", "n499", "n999"]) {
      assert.strictEqual(Option.getOrThrow(yield* store.turn(`t${each}`)).task, `task of t${each}`)
      assert.lengthOf(yield* store.turnsOf(`s${each}`), 1)
    }
    assert.deepStrictEqual((yield* store.abandoned(3)).sessions, ["sn0", "sn1", "sn2"])
    assert.lengthOf((yield* store.unfinished(5000)).sessions, 1000)
  })
}
