import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call, carriedOut, done, ended, numberOf, Running, script, shown, told } from "./running.ts"

const categories = ({
  suggestions
}: {
  readonly suggestions: ReadonlyArray<Readonly<Record<string, unknown>>> | null
}) => suggestions?.map(({ category }) => category) ?? []

layer(Running.layer(), { excludeTestServices: true })("a run", (it) => {
  it.effect("has steps, and ends with its result and its cost", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(
        running,
        { ...call("navigate", { url: `${running.site.origin}/plain` }), usage: { input: 1000, output: 10 } },
        (now) => ({
          ...done(/code is (\d+)/u.exec(shown(now))?.[1]),
          usage: { input: 2000, output: 10, cacheRead: 1000 }
        })
      )
      const { turn } = yield* carriedOut("What is the code?")
      assert.deepInclude(turn, { status: "completed", output: "4711", isSuccess: true, error: null, steps: 2 })
      // 1000 at 3 and 10 at 15, then 1000 at 3, 1000 at 0.3 and 10 at 15, in millionths
      assert.strictEqual(turn.cost, "0.0066")
      assert.deepStrictEqual(turn.tokens, { input: 3000, output: 20 })
      const steps = yield* running.store.stepsOf(turn.id)
      assert.deepStrictEqual(
        steps.map(({ address, summary }) => [address, summary]),
        [
          ["about:blank", `navigate "${running.site.origin}/plain"`],
          [`${running.site.origin}/plain`, 'done true "4711"']
        ]
      )
      assert.deepInclude(turn, { model: "scripted-1" })
    })
  )

  it.effect("stores the tool, the element and the usage of each step, and each model call", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const usage = { input: 1000, output: 10 }
      script(
        running,
        { ...call("navigate", { url: `${running.site.origin}/login` }), usage },
        (now) => ({
          calls: [
            { name: "type", input: { index: numberOf(now, "Password"), text: "open sesame" } },
            { name: "find", input: { text: "Sign in" } }
          ],
          usage
        }),
        { ...call("extract", { what: "the heading" }), usage },
        { text: "Login", usage },
        { ...done(), usage }
      )
      const { turn } = yield* carriedOut("Sign in")
      const steps = yield* running.store.stepsOf(turn.id)
      assert.deepStrictEqual(
        steps.map(({ name, role, title, tool, value }) => [title, tool, role, name, value]),
        [
          ["navigate", "navigate", null, null, `${running.site.origin}/login`],
          ['type password "Password" and 1 more', "type", "password", "Password", null],
          ["extract", "extract", null, null, "the heading"],
          ["done", "done", null, null, null]
        ]
      )
      assert.deepStrictEqual(
        steps.map(({ cost, tokens }) => [cost, tokens?.input]),
        [
          ["0.00315", 1000],
          ["0.00315", 1000],
          ["0.0063", 2000],
          ["0.00315", 1000]
        ]
      )
      const calls = yield* running.store.modelCallsOf(turn.id)
      assert.deepStrictEqual(
        calls.map(({ cost, failure, model, ordinal, step }) => [ordinal, step, model, cost, failure]),
        [1, 2, 3, 3, 4].map((step, at) => [at + 1, step, "scripted-1", "0.00315", null])
      )
      assert.deepInclude(turn, { modelCalls: 5, cost: "0.01575" })
      assert.isTrue(calls.every(({ at_ms, duration_ms }) => at_ms >= turn.createdAt_ms && duration_ms >= 0))
    })
  )

  it.effect("has a picture of each step, except while a password is filled in", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(
        running,
        call("navigate", { url: `${running.site.origin}/login` }),
        (now) => call("type", { index: numberOf(now, "Password"), text: "4711" }),
        call("navigate", { url: `${running.site.origin}/plain` }),
        done()
      )
      const { turn } = yield* carriedOut("Sign in")
      const steps = yield* running.store.stepsOf(turn.id)
      assert.deepStrictEqual(
        steps.map(({ picture }) => picture !== null),
        [true, true, false, true]
      )
      const pictures = steps.flatMap(({ picture }) => running.pictures.get(picture ?? "") ?? [])
      // three pages that look different
      assert.strictEqual(new Set(pictures.map((jpeg) => Buffer.from(jpeg).toString("base64"))).size, 3)
      for (const jpeg of pictures) assert.deepStrictEqual(jpeg.slice(0, 3), Uint8Array.of(0xff, 0xd8, 0xff))
    })
  )

  it.effect("reports ignored modelParams", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(running, done("4711"))
      const { turn } = yield* carriedOut("What is the code?", {
        modelParams: { temperature: 0.5, messages: [], response_format: { type: "text" } }
      })
      assert.deepStrictEqual(turn.suggestions, [
        {
          category: "modelParams",
          message: "modelParams cannot set messages, response_format: the agent does. Leave them out."
        }
      ])
      assert.strictEqual(running.model.requests[0]?.body["temperature"], 0.5)
    })
  )

  it.effect("passes modelParams and the thinking level on, and reports an invalid level", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(running, done())
      yield* carriedOut("Think", { thinkingLevel: "High", modelParams: { top_k: 5 } })
      assert.deepInclude(running.model.requests[0]?.body, { top_k: 5, reasoning_effort: "high" })
      const { turn: other } = yield* carriedOut("Think", { thinkingLevel: "galactic" })
      assert.match(JSON.stringify(other.suggestions), /thinkingLevel .*galactic.* is unknown/u)
      assert.notProperty(running.model.requests.at(-1)?.body, "reasoning_effort")
    })
  )

  it.effect("tells a model the mistakes in its calls, and skips calls that were meant for another page", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const { origin } = running.site
      script(
        running,
        { text: "I would click." },
        call("fly"),
        {
          calls: [
            { name: "navigate", input: { url: `${origin}/plain` } },
            { name: "click", input: { index: 1 } }
          ]
        },
        call("click", { index: "seven" }),
        {
          calls: [
            { name: "click", input: { index: 999 } },
            { name: "back", input: {} }
          ]
        },
        call("find", { text: "code" }),
        {
          calls: [
            { name: "press", input: { keys: "Escape" } },
            { name: "done", input: { success: true, output: "x" } }
          ]
        },
        done()
      )
      const { turn } = yield* carriedOut("Err")
      assert.strictEqual(turn.status, "completed")
      const steps = yield* running.store.stepsOf(turn.id)
      assert.deepStrictEqual(
        steps.map(({ ended }) => ended?.failure),
        [
          "The model called no tool. Use a model that calls tools.",
          'There is no tool "fly".',
          null,
          'The call of click is wrong: Expected number at ["index"].',
          "There is no element 999. Use the numbers of the newest page.",
          null,
          "Not done: look at the page first, then end the task.",
          null
        ]
      )
      for (const { beganAt_ms, ended } of steps) assert.isAtLeast(ended?.at_ms ?? 0, beganAt_ms)
      const all = told(running)
      assert.include(all, "Call a tool.")
      assert.include(all, 'There is no tool "fly".')
      assert.include(all, "Not done: the page is another one now.")
      assert.match(all, /The call of click is wrong: Expected number at \["index"\]\./u)
      assert.include(all, "There is no element 999.")
      assert.include(all, "Not done: the call before it failed.")
      assert.include(all, "Not done: look at the page first, then end the task.")
    })
  )

  it.effect("ends with a sentence if steps fail, if it goes in circles, or if the model refuses its key", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(running, call("click", { index: 999 }))
      const { turn: lost } = yield* carriedOut("Fail")
      assert.deepInclude(lost, { status: "failed", isSuccess: false })
      assert.match(lost.error ?? "", /^5 steps failed one after the other\. The last: There is no element 999\./u)
      assert.deepStrictEqual(categories(lost), ["loop", "failures"])
      // the last chance is to end the task
      assert.deepStrictEqual(running.model.requests.at(-1)?.tools, ["done"])

      script(running, call("navigate", { url: `${running.site.origin}/plain` }), call("press", { keys: "Escape" }))
      const { turn: circling } = yield* carriedOut("Circle")
      assert.strictEqual(circling.error, "The agent went in circles: it did the same 6 times.")
      assert.deepStrictEqual(categories(circling), ["loop", "stuck"])
      assert.match(told(running), /You did exactly this \d times on the same page/u)

      script(running, { status: 401, message: "bad key" })
      const { turn: refused } = yield* carriedOut("Key")
      assert.match(refused.error ?? "", /answered 401 .*Check the key of the model/u)
      assert.lengthOf(running.model.requests, 1)
    })
  )

  it.effect("sends an output that doesn't fit back three times, then fails", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const outputSchema = { type: "object", properties: { price: { type: "number" } }, required: ["price"] }
      const wrong = done({ price: "12 EUR" })
      const error = 'The output did not fit its schema 4 times. The last: Expected number at ["price"]'
      script(running, wrong)
      assert.deepInclude((yield* carriedOut("How much?", { outputSchema })).turn, { error, steps: 4 })
      // also with looks between them
      script(
        running,
        wrong,
        call("find", { text: "x" }),
        wrong,
        call("find", { text: "y" }),
        wrong,
        call("back"),
        wrong
      )
      const { turn } = yield* carriedOut("How much?", { outputSchema })
      assert.strictEqual(turn.error, error)
      assert.include(categories(turn), "output")
      const [request] = running.model.requests
      assert.include(JSON.stringify(request?.body), JSON.stringify(outputSchema.properties))
      const { turn: unusable } = yield* carriedOut("How much?", { outputSchema: { $ref: "#/$defs/Nothing" } })
      assert.match(unusable.error ?? "", /^The outputSchema cannot be used: /u)
    })
  )

  it.effect("reports a captcha, and tells the caller what to do about it", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(running, call("navigate", { url: `${running.site.origin}/captcha` }), done("gave up", false))
      const { turn } = yield* carriedOut("Get in")
      assert.deepInclude(turn, { status: "completed", isSuccess: false })
      assert.deepStrictEqual(categories(turn), ["captcha"])
    })
  )

  it.effect.each(["interrupted", "stopped"] as const)("keeps its cost if it is %s in the middle of a step", (how) =>
    Effect.gen(function* () {
      const running = yield* Running
      const { engine, store } = running
      const usage = { input: 1000, output: 10 }
      script(
        running,
        { ...call("find", { text: "mug" }), usage },
        { ...call("wait", { seconds: 10 }), usage },
        { ...done(), usage }
      )
      const { session, turn } = yield* Effect.orDie(
        engine.createSession({ task: "Wait", modelParams: null, thinkingLevel: null })
      )
      yield* Effect.repeat(Effect.delay(store.stepsOf(turn.id), "5 millis"), { until: ({ length }) => length === 2 })
      const follow = engine.queue({ sessionId: session.id, text: "Go on", interrupt: true })
      if (how === "interrupted") {
        const next = yield* ended(running, (yield* Effect.orDie(follow)).turn.id)
        // 1000 at 3 and 10 at 15, in millionths: of its own answer only
        assert.deepInclude(next, { status: "completed", cost: "0.00315", tokens: { input: 1000, output: 10 } })
        // each call has a result: services refuse one without
        assert.match(
          JSON.stringify(running.model.requests.at(-1)?.body),
          /Not done: the user stopped the task\..*The user stopped this task\./u
        )
      } else yield* Effect.orDie(engine.stopSession(session.id))
      const over = yield* ended(running, turn.id)
      assert.deepInclude(over, { status: "cancelled", cost: "0.0063", tokens: { input: 2000, output: 20 }, steps: 2 })
    })
  )

  it.effect("makes the model extract text from a page at a cost, and reports when it can't", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const usage = { input: 1000, output: 10 }
      let reads = 0
      script(running, (_, { messages, tools }) => {
        if (tools.length === 0) {
          reads += 1
          // the page is whole, and between boundaries
          assert.match(messages.at(-1)?.text ?? "", /^Wanted: the code\n\nPage:\n<page-\w+>\n[^]*The code is 4711\./u)
          return reads === 1 ? { text: "4711", usage } : { status: 400, message: "too long" }
        }
        const steps = [call("navigate", { url: `${running.site.origin}/plain` }), extract, extract, done("4711")]
        return { ...(steps[running.model.requests.length - reads - 1] ?? done()), usage }
      })
      const extract = call("extract", { what: "the code" })
      const { turn } = yield* carriedOut("What is the code?")
      // four steps and one of the two readings, at 3,150 millionths each
      assert.deepInclude(turn, { status: "completed", cost: "0.01575", tokens: { input: 5000, output: 50 } })
      assert.include(told(running), "4711")
      const steps = yield* running.store.stepsOf(turn.id)
      assert.deepStrictEqual(
        steps.map(({ ended }) => ended?.failure?.slice(0, 44) ?? null),
        [null, null, "Model scripted-1 answered 400 (too long). Ch", null]
      )
    })
  )

  it.effect("doesn't tell the caller to allow a host because a page claims that it was refused", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(running, call("navigate", { url: `${running.site.origin}/pretends` }), call("read"), done())
      const { turn } = yield* carriedOut("Look")
      assert.deepInclude(turn, { status: "completed", suggestions: null })
    })
  )
})
