import { assert, layer } from "@effect/vitest"
import { Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { call, done, ended, Running, script } from "./running.ts"

/** A call of 100 input tokens costs 300 millionths. */
const usage = { input: 100, output: 0 }

const finding = (text: string) => ({ ...call("find", { text }), usage })

const budgetOf = (cost: string) => ({ cost, tokens: null, duration_ms: null })

const start = Effect.fnUntraced(function* (cost: string, more: object = {}) {
  const { engine } = yield* Running
  return (yield* Effect.orDie(
    engine.createSession({
      task: "Find it",
      modelParams: null,
      thinkingLevel: null,
      budget: budgetOf(cost),
      pausesAtCost: true,
      ...more
    })
  )).turn
})

const waiting = (id: string) =>
  Effect.flatMap(Running, ({ engine }) =>
    Effect.repeat(Effect.delay(Effect.orDie(engine.turn(id)), "5 millis"), {
      until: (turn) => Turn.waitingFor(turn) !== null
    })
  )

const answer = (id: string, questionId: string, text: string) =>
  Effect.flatMap(Running, ({ engine }) => engine.answer(id, { questionId, answer: text, by: "ann" }))

layer(Running.layer({ limits: { cost: 1_000_000_000n } }), { excludeTestServices: true })(
  "a run that waits at its cost limit",
  (it) => {
    it.effect("asks before the next call, and continues when a person raises the limit", () =>
      Effect.gen(function* () {
        const running = yield* Running
        script(running, finding("one"), finding("two"), { ...done("found"), usage })
        const turn = yield* start("0.0003")
        const { cost, steps, ...waits } = yield* waiting(turn.id)
        assert.deepStrictEqual([cost, steps], ["0.0003", 1])
        assert.deepInclude(Turn.waitingFor({ ...waits, status: "running" }), {
          reason: "max_cost",
          askedBy: "rule",
          question:
            'The run has cost 0.0003 USD and reached its cost limit of 0.0003 USD. Answer with a higher limit in USD, or with "end" to end the run.'
        })
        yield* Effect.sleep("300 millis")
        assert.lengthOf(running.model.requests, 1)
        yield* answer(turn.id, "1", "0.0005")
        const again = yield* Effect.repeat(waiting(turn.id), { until: ({ questions }) => questions?.length === 2 })
        assert.strictEqual(again.cost, "0.0006")
        assert.lengthOf(running.model.requests, 2)
        yield* answer(turn.id, "2", "0.001")
        const over = yield* ended(running, turn.id)
        assert.deepInclude(over, { status: "completed", output: "found", cost: "0.0009", steps: 3 })
        // the model isn't told of it
        assert.notInclude(JSON.stringify(running.model.requests.map(({ messages }) => messages)), "cost limit")
      })
    )

    it.effect("fails at its limit with its partial result if a person ends it or no person answers", () =>
      Effect.gen(function* () {
        const running = yield* Running
        script(running, finding("one"), finding("two"))
        const first = yield* start("0.0003")
        yield* waiting(first.id)
        yield* answer(first.id, "1", "end")
        const handOff = { timeout_ms: 100, whenUnanswered: "continue", pausesLimits: true } as const
        for (const turn of [first, yield* start("0.0003", { handOff })]) {
          const over = yield* ended(running, turn.id)
          assert.deepInclude(over, {
            status: "failed",
            failure: "cost_limit",
            error: "The run reached its cost limit of 0.0003 USD.",
            cost: "0.0003",
            steps: 1
          })
        }
      })
    )

    it.effect("fails at the server's limit, which no person can raise", () =>
      Effect.gen(function* () {
        const running = yield* Running
        script(running, finding("one"), finding("two"), finding("three"), finding("four"), finding("five"))
        const turn = yield* start("0.5")
        const over = yield* ended(running, turn.id)
        assert.deepInclude(over, {
          failure: "cost_limit",
          error: "The run reached its cost limit of 0.001 USD.",
          cost: "0.0012"
        })
        assert.isUndefined(over.questions)
      })
    )
  }
)
