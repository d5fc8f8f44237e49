import { assert, describe, it } from "@effect/vitest"
import { Question, Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as Limits from "../../src/agent/Limits.ts"

const spent: Limits.Spent = { steps: 0, cost: 0n, tokens: 0, failures: 0, lastFailure: "There is no element 9." }
const limits: Limits.Limits = { ...Limits.defaults, steps: 5, cost: 500_000_000_000n, tokens: 1000, failures: 3 }

const categoryAt = (more: Partial<Limits.Spent>, of = limits) => Limits.reached(of, { ...spent, ...more })?.category

describe("Limits", () => {
  it("end a task exactly at the limit, each with a sentence and advice", () => {
    assert.isUndefined(Limits.reached(limits, { ...spent, steps: 4, cost: 499_999_999_999n, tokens: 999, failures: 2 }))
    const all = [{ steps: 5 }, { cost: 500_000_000_000n }, { tokens: 1000 }, { failures: 3 }].map((more) =>
      Limits.reached(limits, { ...spent, ...more })
    )
    assert.deepStrictEqual(
      all.map((reached) => reached?.error),
      [
        "The run reached its limit of 5 steps.",
        "The run reached its cost limit of 0.5 USD.",
        "The run reached its limit of 1000 tokens.",
        "3 steps failed one after the other. The last: There is no element 9."
      ]
    )
    for (const reached of [...all, Limits.overdue(limits)]) assert.match(reached?.advice ?? "", /\.$/u)
    assert.strictEqual(Limits.overdue(limits).error, "The run reached its time limit of 30m.")
  })

  it("with one allowed failure offer all tools in the first step, and fail with that step's failure", () => {
    const strict = { ...limits, failures: 1 }
    assert.isFalse(Limits.isLast(strict, 1, 0))
    assert.isTrue(Limits.isLast(limits, 3, 2))
    assert.isTrue(Limits.isLast(strict, 5, 0))
    assert.strictEqual(
      Limits.reached(strict, { ...spent, failures: 1 })?.error,
      "A step failed: There is no element 9."
    )
  })

  it("are not enforced against an unknown cost", () => {
    assert.isUndefined(categoryAt({ cost: null }))
    assert.isUndefined(categoryAt({ cost: 10n ** 15n }, Limits.defaults))
  })

  it("are the lower of the agent's and those of the run", () => {
    const budget = { cost: "0.25", tokens: 5000, duration_ms: 1000 }
    const both = Limits.within(limits, budget)
    assert.deepInclude(both, { cost: 250_000_000_000n, tokens: 1000, duration_ms: 1000, steps: 5 })
    assert.strictEqual(Limits.within(limits, { cost: "12.000001", tokens: null, duration_ms: null }).cost, limits.cost)
    assert.strictEqual(Limits.within(Limits.defaults, { ...budget, cost: "12.000001" }).cost, 12_000_001_000_000n)
    assert.deepStrictEqual(Limits.within(limits, null), limits)
  })

  it("include the time before a restart of the server, without the waits that pause them", () => {
    const make = {
      id: "t",
      sessionId: "s",
      task: "",
      model: "m",
      agentVersion: "1",
      modelParams: null,
      createdAt_ms: 0
    }
    const ask = (pausesLimits: boolean, at_ms: number) => ({
      ...Question.ask(
        [],
        {
          reason: "question",
          question: "?",
          choices: null,
          askedBy: "agent",
          timeout_ms: 1000,
          whenUnanswered: "fail",
          pausesLimits
        },
        at_ms
      ),
      outcome: { kind: "answered", answer: "", by: null, at_ms: at_ms + 500 } as const
    })
    const turn = { ...Turn.make(make), startedAt_ms: 1000, questions: [ask(true, 2000), ask(false, 3000)] }
    assert.strictEqual(Limits.used_ms({ ...turn, status: "running" }, 5000), 3500)
    assert.strictEqual(Limits.used_ms({ ...turn, status: "dispatching" }, 5000), 0)
  })

  it.effect("exclude the time in which a person drives", () =>
    Effect.gen(function* () {
      let paused_ms = 2000
      const worked = yield* Effect.forkChild(
        Limits.worked(
          10_000,
          Effect.sync(() => paused_ms)
        )
      )
      yield* TestClock.adjust("5 seconds")
      // a pause of 60 seconds, which is over after 65
      for (let count = 0; count < 60; count++) {
        paused_ms += 1000
        yield* TestClock.adjust("1 second")
      }
      assert.isUndefined(worked.pollUnsafe())
      yield* TestClock.adjust("4900 millis")
      assert.isUndefined(worked.pollUnsafe())
      yield* TestClock.adjust("200 millis")
      yield* Fiber.join(worked)
    })
  )

  it.effect("end a task without a pause exactly", () =>
    Effect.gen(function* () {
      const worked = yield* Effect.forkChild(Limits.worked(10_000, Effect.succeed(0)))
      yield* TestClock.adjust(9999)
      assert.isUndefined(worked.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Fiber.join(worked)
    })
  )
})
