import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { Decimal, Engine, MemoryStore, StepCall, type Turn } from "@webagent/engine"
import type { BehaviorOptions } from "../../src/behavior/Behavior.ts"
import * as SeededIds from "../../src/behavior/SeededIds.ts"
import * as ports from "../ports.ts"

const scheduling = (options: BehaviorOptions = {}) =>
  Engine.layer.pipe(
    Layer.provide([ports.agent(options), ports.browsers, SeededIds.SeededIds.layer(() => options.seed ?? 1)]),
    Layer.provide(MemoryStore.layer)
  )

const create = (task: string, budget?: { readonly cost: string }, replayOf?: string) =>
  Engine.use((engine) =>
    engine.createSession({
      task,
      modelParams: null,
      thinkingLevel: null,
      ...(replayOf === undefined ? {} : { replay: StepCall.replayOf(replayOf, true) }),
      ...(budget === undefined ? {} : { budget: { ...budget, tokens: null, duration_ms: null } })
    })
  )

const recordOf = Effect.fnUntraced(function* (id: string) {
  const engine = yield* Engine
  return { turn: yield* engine.turn(id), steps: yield* engine.steps(id), calls: yield* engine.modelCalls(id) }
})

/** Runs one task to its end in virtual time, and returns its records. */
const perform = (task: string, options: BehaviorOptions = {}, budget?: { readonly cost: string }) =>
  Effect.gen(function* () {
    const { turn } = yield* create(task, budget)
    yield* TestClock.adjust("1 hour")
    return yield* recordOf(turn.id)
  }).pipe(Effect.provide(scheduling(options)))

const realistic: BehaviorOptions = { profile: "realistic" }
const minute = "Buy a mug [simulate outcome=completed duration=60s cost=0.0731]"

describe("StepPlan", () => {
  it.effect("has the same steps and calls for the same seed, and others for another seed", () =>
    Effect.gen(function* () {
      const first = yield* perform(minute, { seed: 1 })
      // each run of the test has a virtual time of its own
      const again = yield* perform(minute, { seed: 1 }).pipe(Effect.provide(TestClock.layer()))
      const fresh = yield* perform(minute, { seed: 1 }).pipe(Effect.provide(TestClock.layer()))
      const other = yield* perform(minute, { seed: 2 }).pipe(Effect.provide(TestClock.layer()))
      assert.deepStrictEqual(fresh, again)
      assert.isNotEmpty(first.steps)
      assert.notDeepEqual(
        other.calls.map(({ tokens }) => tokens),
        again.calls.map(({ tokens }) => tokens)
      )
    })
  )

  it.effect("adds up to the run's cost and tokens, over its steps and over its calls", () =>
    Effect.gen(function* () {
      for (const task of [minute, "Buy a mug", "Buy a tray [simulate outcome=failed cost=0.01]"]) {
        const { calls, steps, turn } = yield* perform(task, realistic)
        assert.isAtLeast(steps.length, 3)
        assert.isAtMost(steps.length, 6)
        assert.strictEqual(steps.length, turn.steps)
        assert.strictEqual(calls.length, turn.modelCalls)
        for (const rows of [steps, calls]) {
          assert.strictEqual(
            rows.reduce((sum, { cost }) => Decimal.add(sum, cost ?? "NaN"), "0"),
            turn.cost
          )
          const total = (of: "input" | "output") => rows.reduce((sum, { tokens }) => sum + (tokens?.[of] ?? NaN), 0)
          assert.deepStrictEqual({ input: total("input"), output: total("output") }, turn.tokens)
        }
      }
    })
  )

  it.effect("fills the run's time with consecutive steps, and puts each call within its step", () =>
    Effect.gen(function* () {
      const { calls, steps, turn } = yield* perform(minute)
      assert.isAtLeast(steps[0]?.beganAt_ms ?? 0, turn.startedAt_ms ?? Number.NaN)
      assert.strictEqual(steps.at(-1)?.ended?.at_ms, turn.finishedAt_ms)
      steps.forEach((step, index) => {
        const call = calls[index]
        const next_ms = steps[index + 1]?.beganAt_ms ?? turn.finishedAt_ms
        assert.strictEqual(step.ended?.at_ms, next_ms)
        assert.isAbove(step.ended?.at_ms ?? 0, step.beganAt_ms)
        assert.deepInclude(call, { at_ms: step.beganAt_ms, step: step.ordinal, ordinal: step.ordinal, failure: null })
        assert.isBelow((call?.at_ms ?? 0) + (call?.duration_ms ?? 0), next_ms ?? 0)
      })
    })
  )

  it.effect("repeats the steps of a replayed run without model calls, in a tenth of the time", () =>
    Effect.gen(function* () {
      const engine = yield* Engine
      const { turn } = yield* create(minute)
      yield* TestClock.adjust("1 hour")
      const recorded = yield* recordOf(turn.id)
      const { turn: replay } = yield* create(minute, undefined, turn.id)
      yield* TestClock.adjust("1 hour")
      const { calls, steps, turn: repeated } = yield* recordOf(replay.id)
      assert.deepStrictEqual(
        steps.map(({ summary }) => summary),
        recorded.steps.map(({ summary }) => summary)
      )
      assert.isAtLeast(steps.length, 3)
      assert.isTrue(steps.every(({ ended, repetition }) => repetition === "replayed" && ended?.failure === null))
      assert.deepStrictEqual(calls, [])
      assert.deepInclude(repeated, { status: "completed", cost: "0", output: recorded.turn.output })
      assert.deepInclude(repeated.replay, { replayed: steps.length, healed: 0, asked: 0 })
      const took = (of: Turn.Turn) => (of.finishedAt_ms ?? 0) - (of.startedAt_ms ?? 0)
      assert.isAtMost(took(repeated), took(recorded.turn) / 9)
      assert.deepInclude(yield* engine.acceptsReplay(replay.id), { id: replay.id })
    }).pipe(Effect.provide(scheduling()))
  )

  it.effect(
    "repeats the first run's steps, time and result in a replay of a replay, even once the replay is deleted",
    () =>
      Effect.gen(function* () {
        const engine = yield* Engine
        const run = Effect.fnUntraced(function* (of?: string) {
          const { turn } = yield* create("Buy a mug [simulate outcome=completed duration=61234ms]", undefined, of)
          yield* TestClock.adjust("1 hour")
          const { steps, turn: ended } = yield* recordOf(turn.id)
          const took = (ended.finishedAt_ms ?? 0) - (ended.startedAt_ms ?? 0)
          return { turn: ended, same: { took, output: ended.output, steps: steps.map(({ summary }) => summary) } }
        })
        const first = yield* run()
        const second = yield* run(first.turn.id)
        assert.deepStrictEqual(second.same, { ...first.same, took: Math.round(first.same.took / 10) })
        yield* engine.stopSession(first.turn.sessionId)
        yield* engine.purgeSession(first.turn.sessionId)
        const third = yield* run(second.turn.id)
        const fourth = yield* run(third.turn.id)
        assert.deepStrictEqual(third.same, second.same)
        assert.deepStrictEqual(fourth.same, second.same)
        assert.deepInclude(fourth.turn.replay, { of: third.turn.id, root: first.turn.id })
      }).pipe(Effect.provide(scheduling()))
  )

  it.effect("repeats the first run's drawn time and result in a replay of a replay", () =>
    Effect.gen(function* () {
      const run = Effect.fnUntraced(function* (of?: string) {
        const { turn } = yield* create("Buy a mug [simulate outcome=completed]", undefined, of)
        yield* TestClock.adjust("5 hours")
        const { steps, turn: ended } = yield* recordOf(turn.id)
        return { id: turn.id, ended, count: steps.length, took: (ended.finishedAt_ms ?? 0) - (ended.startedAt_ms ?? 0) }
      })
      const first = yield* run()
      const second = yield* run(first.id)
      const third = yield* run(second.id)
      const { count, took } = second
      assert.strictEqual(count, first.count)
      assert.deepInclude(third, { count, took })
      assert.isTrue(Number.isInteger(third.took))
      assert.strictEqual(third.ended.output, first.ended.output)
    }).pipe(Effect.provide(scheduling(realistic)))
  )

  it.effect("asks no person in a replay of a run that asked a person, and uses the recorded answer again", () =>
    Effect.gen(function* () {
      const engine = yield* Engine
      const task = 'Buy a mug [simulate outcome=completed duration=60s steps=3 ask="Which color?"]'
      const { turn } = yield* create(task)
      yield* TestClock.adjust("1 minute")
      yield* engine.answer(turn.id, { questionId: "1", answer: "Red", by: "ann" })
      yield* TestClock.adjust("1 hour")
      const recorded = yield* engine.turn(turn.id)
      assert.match(String(recorded.output), / Answer: Red$/u)
      let of = turn.id
      for (const _ of ["a replay", "a replay of it"]) {
        const { turn: replay } = yield* create(task, undefined, of)
        yield* TestClock.adjust("15 seconds")
        const { status, output, questions = [] } = yield* engine.turn(replay.id)
        assert.deepStrictEqual(
          { status, output, questions },
          { status: "completed", output: recorded.output, questions: [] }
        )
        of = replay.id
      }
    }).pipe(Effect.provide(scheduling()))
  )

  it.effect("shows a live view one step after the other", () =>
    Effect.gen(function* () {
      const { turn } = yield* create(minute)
      const counts: Array<number> = []
      for (let second = 0; second < 60; second++) {
        yield* TestClock.adjust("1 second")
        const { steps, turn: now } = yield* recordOf(turn.id)
        counts.push(steps.length)
        const open = steps.filter(({ ended }) => ended === undefined).length
        assert.strictEqual(open, now.status === "running" && steps.length > 0 ? 1 : 0)
      }
      const last = counts.at(-1) ?? 0
      assert.deepStrictEqual(
        [...new Set(counts)],
        Array.from({ length: last + 1 }, (_, index) => index)
      )
    }).pipe(Effect.provide(scheduling()))
  )

  it.effect("opens the task's page first and reads the result last, with details of each step", () =>
    Effect.gen(function* () {
      const { steps } = yield* perform("Read https://ann:pw@news.example/top?token=1 [simulate duration=9s steps=5]")
      assert.deepInclude(steps[0], {
        tool: "navigate",
        value: "https://news.example/top",
        address: "https://news.example/top"
      })
      assert.deepInclude(steps.at(-1), { tool: "extract", picture: null })
      assert.isTrue(steps.every(({ title, tool }) => title?.startsWith(tool ?? "?") === true))
      assert.isTrue(steps.some(({ name, role }) => role === "button" && name !== null))
      assert.notInclude(JSON.stringify(steps), "pw")
    })
  )

  it.effect("fails the last step of a failed run with the run's error", () =>
    Effect.gen(function* () {
      const { steps, turn } = yield* perform('[simulate outcome=failed error="sold out" duration=5s]')
      assert.deepStrictEqual([turn.status, turn.error], ["failed", "sold out"])
      assert.strictEqual(steps.at(-1)?.ended?.failure, "sold out")
      assert.isTrue(steps.slice(0, -1).every(({ ended }) => ended?.failure === null))
    })
  )

  it.effect("marks the last step of a made-up failure as such, and leaves the reason to the run", () =>
    Effect.gen(function* () {
      const { steps, turn } = yield* perform("[simulate outcome=failed duration=5s]")
      assert.match(turn.error ?? "", /^Made up: /u)
      assert.strictEqual(steps.at(-1)?.ended?.failure, "The failure is made up.")
    })
  )

  it.effect("fails no step of a run that reached its cost limit, and gives the steps the cost of the limit", () =>
    Effect.gen(function* () {
      const { steps, turn } = yield* perform("[simulate duration=5s cost=0.5]", {}, { cost: "0.2" })
      assert.deepStrictEqual([turn.failure, turn.cost], ["cost_limit", "0.2"])
      assert.isTrue(steps.every(({ ended }) => ended?.failure === null))
      assert.strictEqual(
        steps.reduce((sum, { cost }) => Decimal.add(sum, cost ?? "NaN"), "0"),
        "0.2"
      )
    })
  )

  it.effect("keeps a cancelled run's steps until then, at a cost within the run's", () =>
    Effect.gen(function* () {
      const engine = yield* Engine
      const { turn } = yield* create("[simulate duration=60s cost=1]")
      yield* TestClock.adjust("30 seconds")
      yield* engine.cancelTurn(turn.id)
      yield* TestClock.adjust("1 hour")
      const { calls, steps, turn: cancelled } = yield* recordOf(turn.id)
      assert.strictEqual(cancelled.status, "cancelled")
      assert.strictEqual(steps.length, calls.length + 1)
      const paid = calls.reduce((sum, { cost }) => Decimal.add(sum, cost ?? "NaN"), "0")
      assert.isFalse(Decimal.isMore(paid, cancelled.cost ?? "0"))
    }).pipe(Effect.provide(scheduling()))
  )

  for (const [name, task, options, count] of [
    ["instant has none", "Buy a mug", { profile: "instant" }, 0],
    ["a turn under half a second has none", "[simulate duration=499ms]", {}, 0],
    ["a script sets none", "[simulate duration=60s steps=0]", {}, 0],
    ["a script sets one", "[simulate duration=60s steps=1]", {}, 1],
    ["a script sets them for a short turn", "[simulate duration=5ms steps=3]", { profile: "instant" }, 3],
    ["a script that can't be read has none", "[simulate step=3]", realistic, 0]
  ] as const) {
    it.effect(`number of steps: ${name}`, () =>
      Effect.gen(function* () {
        const { calls, steps, turn } = yield* perform(task, options)
        assert.deepStrictEqual([steps.length, calls.length, turn.steps], [count, count, count])
        assert.strictEqual(turn.tokens === null, count === 0)
      })
    )
  }
})
