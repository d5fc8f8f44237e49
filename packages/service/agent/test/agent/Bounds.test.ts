import { assert, layer } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"
import * as ModelCost from "../../src/model/ModelCost.ts"
import { call, carriedOut, done, followedUp, numberOf, Running, script, told } from "./running.ts"

const value = "hunter2-and-more"

/** A clock whose long waits, such as for the limit of a task, end when that is said: it is an hour ahead from then on. */
const limit = Deferred.makeUnsafe<void>()
const clock = Layer.effect(
  Clock.Clock,
  Effect.map(Clock.Clock, (real): Clock.Clock =>
    Object.create(real, {
      currentTimeMillis: {
        value: Effect.map(real.currentTimeMillis, (now_ms) =>
          Deferred.isDoneUnsafe(limit) ? now_ms + 3_600_000 : now_ms
        )
      },
      sleep: {
        value: (duration: Duration.Duration) =>
          Duration.toMinutes(duration) < 20 ? real.sleep(duration) : Deferred.await(limit)
      }
    })
  )
)

/** How far a clock is ahead, in milliseconds. */
let ahead_ms = 0
const movable = Layer.effect(
  Clock.Clock,
  Effect.map(Clock.Clock, (real): Clock.Clock =>
    Object.create(real, { currentTimeMillisUnsafe: { value: () => real.currentTimeMillisUnsafe() + ahead_ms } })
  )
)

layer(Layer.provide(Running.layer(), movable), { excludeTestServices: true })("a conversation", (it) => {
  it.effect("is remembered for an hour after its last use", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(running, done())
      const { session } = yield* carriedOut("One")
      for (const task of ["Two", "Three"]) {
        ahead_ms += 40 * 60_000
        yield* followedUp(session.id, task)
      }
      const said = JSON.stringify(running.model.requests.at(-1)?.body)
      assert.include(said, "Task: One")
      assert.notInclude(said, "Earlier task")
    })
  )
})

const judging = Layer.provide(Running.layer({ judges: true }), clock)

layer(judging, { excludeTestServices: true })("a judge", (it) => {
  it.effect("that outlasts the task's limit takes nothing from it", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(running, (_, { schema }) => {
        if (schema === undefined) return done("4711")
        Deferred.doneUnsafe(limit, Effect.void)
        return () => undefined
      })
      const { turn } = yield* carriedOut("What is the code?")
      assert.deepInclude(turn, { status: "completed", output: "4711", isSuccess: true, judgement: null, error: null })
    })
  )
})

/** The spans of the agent, and what it logged. */
const spans: Array<Tracer.NativeSpan> = []
const logs: Array<unknown> = []
const observed = Layer.mergeAll(
  Layer.succeed(
    Tracer.Tracer,
    Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
  ),
  Logger.layer([Logger.make(({ cause, message }) => void logs.push(message, Cause.pretty(cause)))])
)

const known = Layer.provide(
  Running.layer(
    { judges: true, secrets: [{ name: "password", value: Redacted.make(value), domains: ["127.0.0.1"] }] },
    { sees: true }
  ),
  observed
)

layer(known, { excludeTestServices: true })("an agent with secrets", (it) => {
  it.effect("shows a secret's value to no model, and still names it when the past is summarized", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const bodies: Array<string> = []
      let summaries = 0
      script(running, (_, { body, schema, text, tools }) => {
        bodies.push(JSON.stringify(body))
        if (schema !== undefined) return { text: "{}" }
        if (tools.length === 0) {
          summaries += 1
          return { text: "SUMMARY" }
        }
        if (running.model.requests.length === 1) return call("navigate", { url: `${running.site.origin}/cards` })
        return summaries === 0
          ? call("read", { offset: running.model.requests.length })
          : done(text.includes("SUMMARY"))
      })
      yield* carriedOut(`Sign in with ${value}`)
      assert.strictEqual(summaries, 1)
      assert.isEmpty(bodies.filter((body) => body.includes(value)))
      const afterSummary = bodies.find((body) => body.includes("SUMMARY"))
      assert.include(afterSummary, "Secrets that you can type: <secret:password>")
    })
  )

  it.effect("keeps no part of a secret where the text of a step is truncated", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(running, call("find", { text: `${"x".repeat(488)}${value}` }), done())
      const { turn } = yield* carriedOut("Look")
      const [first, ...others] = yield* running.store.stepsOf(turn.id)
      assert.lengthOf(others, 1)
      assert.match(first?.summary ?? "", /^find "x{488}<secre$/u)
    })
  )

  it.effect("has no secret in any span or log, even if the page shows it and the judge fails", () =>
    Effect.gen(function* () {
      const running = yield* Running
      spans.length = 0
      logs.length = 0
      script(running, (now, { schema }) => {
        if (schema !== undefined) return { status: 400, message: "no schemas" }
        const count = now.model.requests.length
        if (count === 1) return call("navigate", { url: `${now.site.origin}/shows` })
        if (count === 2) return call("type", { index: numberOf(now, "Code"), text: "<secret:password>" })
        if (count === 3) return call(value)
        if (count === 4) return call("find", { text: value })
        return done(value)
      })
      const { turn } = yield* carriedOut("Sign in")
      assert.deepInclude(turn, { status: "completed", output: "<secret:password>" })
      const steps = yield* running.store.stepsOf(turn.id)
      const calls = yield* running.store.modelCallsOf(turn.id)
      assert.notInclude(JSON.stringify([steps, calls]), value)
      assert.deepStrictEqual(
        steps.map(({ name, tool, value }) => [tool, name, value]),
        [
          ["navigate", null, `${running.site.origin}/shows`],
          ["type", "Code", "<secret:password>"],
          ["<secret:password>", null, null],
          ["find", null, "<secret:password>"],
          ["done", null, null]
        ]
      )
      // the judge's call failed, and belongs to no step
      assert.deepInclude(calls.at(-1), { ordinal: 6, step: null, tokens: null })
      assert.include(calls.at(-1)?.failure, "no schemas")
      // a model that sees is shown no page with the value
      const images = running.model.requests.map(({ messages }) => messages.at(-1)?.images)
      assert.deepStrictEqual(images.slice(2), [0, 0, 0, 0])
      // what a span ended with is handed on where it failed only
      const told = spans.map(({ attributes, events, name, status }) => [
        name,
        attributes,
        events,
        status._tag === "Ended" && Exit.isFailure(status.exit) ? Cause.pretty(status.exit.cause) : undefined
      ])
      const seen = inspect([told, logs], { depth: 20, maxArrayLength: null, maxStringLength: null })
      for (const part of ["execute_tool find", "gen_ai.request.model", "is not judged"]) assert.include(seen, part)
      assert.notInclude(seen, value)
    })
  )
})

const frugal = Running.layer(
  { limits: { cost: 5_000_000_000n }, pictures: false },
  { price: ModelCost.price({ input: "3", output: "15" }) }
)

layer(frugal, { excludeTestServices: true })("a cost limit", (it) => {
  it.effect("counts cached tokens even if they have no price", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const usage = { input: 1000, output: 10, cacheRead: 900 }
      script(running, (_, { messages }) => ({ ...call("find", { text: `${messages.length}` }), usage }))
      const { turn } = yield* carriedOut("Wander")
      assert.deepInclude(turn, { error: "The run reached its cost limit of 0.005 USD.", steps: 2, cost: null })
      for (const { picture } of yield* running.store.stepsOf(turn.id)) assert.isNull(picture)
    })
  )
})

layer(Running.layer(), { excludeTestServices: true })("an empty task", (it) => {
  it.effect("fails before a browser or the model is used", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(running, done())
      const { session, turn } = yield* carriedOut(" \n")
      assert.deepInclude(turn, {
        status: "failed",
        error: "The task is empty. Describe the task.",
        steps: 0,
        cost: null
      })
      assert.isEmpty(running.model.requests)
      assert.isNull((yield* Effect.orDie(running.engine.session(session.id))).session.browserId)
    })
  )
})

layer(Running.layer(), { excludeTestServices: true })("a model's response", (it) => {
  it.effect.each([
    ["text", { text: "I see." }, "The model called no tool. Use a model that calls tools."],
    ["nothing", {}, "The model called no tool. Use a model that calls tools."],
    [
      "a refusal",
      { text: "I cannot\nhelp.", finish: "content_filter" },
      "The model refused to answer (I cannot help.). Word the task differently, or use another model."
    ],
    [
      "a truncated text",
      { text: "I", finish: "length" },
      "The model's response was cut off before it called a tool. Raise its limit of output tokens in modelParams, or use another model."
    ],
    ["a truncated call", call("click", '{"index":'), "The call of click is wrong: its arguments are not JSON."],
    ["a wrong call", call("click", { index: "1" }), 'The call of click is wrong: Expected number at ["index"].'],
    ["a call of an unknown tool", call("fly away"), 'There is no tool "fly away".'],
    ["an invalid end", call("done", { output: 1 }), "done must have success (true or false) and an output."]
  ] as const)("of %s, repeated, ends the run with one sentence", ([, answer, last]) =>
    Effect.gen(function* () {
      const running = yield* Running
      script(running, answer)
      const { turn } = yield* carriedOut("Look")
      assert.strictEqual(turn.error, `5 steps failed one after the other. The last: ${last}`)
      // the same call again is a loop, no call at all is not
      const categories = turn.suggestions?.map(({ category }) => category)
      assert.deepStrictEqual(categories, "calls" in answer ? ["loop", "failures"] : ["failures"])
      // what services refuse in the name of a call is not sent back to them
      assert.notMatch(JSON.stringify(running.model.requests.at(-1)?.body["messages"]), /"name":"fly away"/u)
    })
  )

  it.effect.each([
    ["calls", { calls: [{ name: "click", input: { index: 1 } }] }],
    ["calls of an unknown tool", { calls: [{ name: "sum up", input: "{" }] }],
    ["nothing", {}]
  ] as const)("of %s to a summary request loses nothing", ([, answer]) =>
    Effect.gen(function* () {
      const running = yield* Running
      let summaries = 0
      script(running, (_, { tools }) => {
        if (tools.length === 0) {
          summaries += 1
          return answer
        }
        if (running.model.requests.length === 1) return call("navigate", { url: `${running.site.origin}/cards` })
        return summaries === 0 ? call("read", { offset: running.model.requests.length }) : done("read")
      })
      const { turn } = yield* carriedOut("Read every card")
      assert.deepInclude(turn, { status: "completed", output: "read", error: null })
      const said = running.model.requests.at(-1)?.messages.find(({ text }) => text.startsWith("So far:"))?.text
      assert.include(said, 'called read {"offset":')
      assert.include(said, "Task: Read every card")
    })
  )

  it.effect("with too many calls causes no error", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const finds = (step: number) => ({
        calls: Array.from({ length: 8 }, (_, at) => ({ name: "find", input: { text: `${step} ${at}` } }))
      })
      script(running, finds(1), finds(2), finds(3), done())
      const { turn } = yield* carriedOut("Find all")
      assert.deepInclude(turn, { status: "completed" })
      assert.include(JSON.stringify(running.model.requests.at(-1)?.body), "Not done: at most 5 calls in one answer.")
    })
  )
  it.effect("that is long isn't summarized each time", () =>
    Effect.gen(function* () {
      const running = yield* Running
      let summaries = 0
      script(running, (_, { tools }) => {
        if (tools.length === 0) {
          summaries += 1
          return { text: "SUMMARY" }
        }
        const count = running.model.requests.length - summaries
        if (count === 1) return call("navigate", { url: `${running.site.origin}/prose` })
        return count < 20 ? call("read", { offset: count }) : done()
      })
      const { turn } = yield* carriedOut("Read it all")
      assert.strictEqual(turn.steps, 20)
      assert.isAbove(summaries, 1)
      assert.isBelow(summaries, 7)
    })
  )
})

const common = Running.layer({
  secrets: [{ name: "word", value: Redacted.make("another"), domains: ["127.0.0.1"] }]
})

layer(common, { excludeTestServices: true })("an agent with a secret that is a common word", (it) => {
  it.effect("doesn't count a step as failed if a skipped call's result contains the word", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(
        running,
        {
          calls: [
            { name: "navigate", input: { url: `${running.site.origin}/plain` } },
            { name: "press", input: { keys: "Escape" } }
          ]
        },
        done()
      )
      const { turn } = yield* carriedOut("Look")
      const steps = yield* running.store.stepsOf(turn.id)
      assert.include(told(running), "Not done: the page is <secret:word> one now.")
      assert.strictEqual(turn.status, "completed")
      assert.deepStrictEqual(
        steps.map(({ ended }) => ended?.failure),
        [null, null]
      )
    })
  )
})

const budget = { cost: "0.01", tokens: null, duration_ms: null }

layer(Running.layer({}, { price: undefined }), { excludeTestServices: true })("a model without prices", (it) => {
  it.effect("fails a run with a cost limit before it costs anything", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(running, done())
      const { turn } = yield* carriedOut("Buy a mug", { budget })
      assert.deepInclude(turn, { status: "failed", failure: "cost_limit" })
      assert.match(turn.error ?? "", /Create it without a limit/u)
      assert.lengthOf(running.model.requests, 0)
    })
  )
})

layer(Running.layer(), { excludeTestServices: true })("a run with its own cost limit", (it) => {
  it.effect("ends when it reaches the limit", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(running, call("wait", { seconds: 0 }))
      const { turn } = yield* carriedOut("Wait", { budget: { ...budget, cost: "0.000001" } })
      assert.deepInclude(turn, { status: "failed", failure: "cost_limit" })
    })
  )
})
