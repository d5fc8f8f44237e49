import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call, carriedOut, done, numberOf, Running, script, shown, told } from "./running.ts"

layer(Running.layer(), { excludeTestServices: true })("a run", (it) => {
  it.effect("ends when it goes in circles on a page with a ticking clock", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(running, call("navigate", { url: `${running.site.origin}/clock` }), (now) =>
        call("click", { index: numberOf(now, "Refresh") })
      )
      const { turn } = yield* carriedOut("Wait for the sale")
      assert.deepInclude(turn, { status: "failed", failure: "repeated_steps" })
      assert.strictEqual(turn.error, "The agent went in circles: it did the same 18 times.")
      assert.include(told(running), "only numbers on the page changed")
    })
  )

  it.effect("may click the same button many times to raise a number", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(running, call("navigate", { url: `${running.site.origin}/quantity` }), (now) =>
        shown(now).includes("Mugs: 12") ? done("12") : call("click", { index: numberOf(now, "More") })
      )
      const { turn } = yield* carriedOut("Order 12 mugs")
      assert.deepInclude(turn, { status: "completed", output: "12" })
    })
  )

  it.effect("doesn't carry out a tool that its model wasn't offered", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const fail = call("click", { index: 999 })
      const leave = call("navigate", { url: `${running.site.origin}/plain` })
      script(running, fail, fail, fail, fail, leave)
      const { turn } = yield* carriedOut("Leave")
      assert.deepStrictEqual(running.model.requests.at(-1)?.tools, ["done"])
      assert.match(turn.error ?? "", /The last: There is no element 999/u)
      const steps = yield* running.store.stepsOf(turn.id)
      assert.strictEqual(steps.at(-1)?.ended?.failure, "Not done: navigate can't be called now. Call done.")
      assert.notInclude(running.site.hits.join(), "/plain")
    })
  )
})

layer(Running.layer({ limits: { failures: 2, repeats: 4 } }), { excludeTestServices: true })("limits", (it) => {
  it.effect("can be set for failed and repeated steps", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(running, call("click", { index: 999 }))
      const { turn: failed } = yield* carriedOut("Fail")
      assert.match(failed.error ?? "", /^2 steps failed one after the other\./u)
      script(running, call("press", { keys: "Escape" }))
      const { turn: circling } = yield* carriedOut("Circle")
      assert.strictEqual(circling.error, "The agent went in circles: it did the same 4 times.")
    })
  )
})

/** A model whose server refuses requests of more than this many characters. */
const small = (running: Running["Service"], most: number, message: string, steps: number) => {
  const sizes: Array<number> = []
  script(running, (_, { body, tools }) => {
    const length = JSON.stringify(body["messages"]).length
    if (length > most) return { status: 400, message }
    if (tools.length === 0) return { text: "SUMMARY" }
    const count = sizes.push(JSON.stringify(body).length)
    if (count === 1) return call("navigate", { url: `${running.site.origin}/prose` })
    return count < steps ? call("read", { offset: count }) : done("read")
  })
  return sizes
}

layer(Running.layer(), { excludeTestServices: true })("a model with a small context", (it) => {
  it.effect("gets a smaller request after one that was too large, and later runs start at that size", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const message =
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
      small(running, 16_000, message, 12)
      const { turn } = yield* carriedOut("Read")
      assert.deepInclude(turn, { status: "completed", output: "read", steps: 12, error: null })
      const steps = yield* running.store.stepsOf(turn.id)
      assert.deepStrictEqual(
        steps.map(({ ended }) => ended?.failure),
        steps.map(() => null)
      )
      small(running, 16_000, message, 12)
      const { turn: next } = yield* carriedOut("Read again")
      assert.strictEqual(next.status, "completed")
      const calls = yield* running.store.modelCallsOf(next.id)
      assert.isEmpty(calls.filter(({ failure }) => failure !== null))
    })
  )

  it.effect.each([
    "prompt is too long",
    "Your input exceeds the context window of this model.",
    "The input token count exceeds the maximum number of tokens allowed."
  ])("also gets smaller requests if its server doesn't name its size: %s", (message) =>
    Effect.gen(function* () {
      const running = yield* Running
      small(running, 9000, message, 8)
      const { turn } = yield* carriedOut("Read")
      assert.deepInclude(turn, { status: "completed", output: "read", error: null })
    })
  )

  it.effect("fails with a sentence if even the smallest request is too large", () =>
    Effect.gen(function* () {
      const running = yield* Running
      small(running, 0, "prompt is too long", 2)
      const { turn } = yield* carriedOut("Read")
      assert.deepInclude(turn, { status: "failed", failure: "model_error" })
      assert.match(turn.error ?? "", /prompt is too long\)\. The request is larger than the model's context\. Use a /u)
    })
  )
})

layer(Running.layer({ limits: { duration_ms: 20_000 } }, { sees: true }), { excludeTestServices: true })(
  "a model whose server refuses every request and names its size",
  (it) => {
    it.effect.each([
      ["with a picture", "Read"],
      ["with a long task", "Read ".repeat(3000)]
    ] as const)("gets a few smaller requests, then the run fails: %s", ([, task]) =>
      Effect.gen(function* () {
        const running = yield* Running
        const message = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000."
        script(running, { status: 400, message })
        const { turn } = yield* carriedOut(task)
        assert.deepInclude(turn, { status: "failed", failure: "model_error" })
        assert.isAtMost(running.model.requests.length, 8)
      })
    )
  }
)

layer(Running.layer({ pageChars: 2000 }, { contextTokens: 6000 }), { excludeTestServices: true })(
  "a known context",
  (it) => {
    it.effect("is never exceeded", () =>
      Effect.gen(function* () {
        const running = yield* Running
        const sizes = small(running, 100_000, "", 30)
        const { turn } = yield* carriedOut("Read")
        assert.deepInclude(turn, { status: "completed", steps: 30 })
        // a quarter is for the response
        assert.isBelow(Math.max(...sizes), 6000 * 0.75 * 3)
        const [, text = ""] = /<page-\w+>\n(.*)\n<\/page-/su.exec(shown(running)) ?? []
        assert.isBelow(text.length, 2300)
      })
    )

    it.effect("is never exceeded, even with questions to people and a long output schema", () =>
      Effect.gen(function* () {
        const running = yield* Running
        const price = { type: "number", description: "A price. ".repeat(100) }
        const sizes = small(running, 100_000, "", 30)
        yield* carriedOut("Read", {
          handOff: { timeout_ms: 60_000, whenUnanswered: "skip", pausesLimits: true },
          outputSchema: { type: "object", properties: { price } }
        })
        assert.isAbove(sizes.length, 20)
        assert.isBelow(Math.max(...sizes), 6000 * 0.75 * 3)
      })
    )
  }
)

layer(Running.layer(), { excludeTestServices: true })("a call written as text", (it) => {
  it.effect.each([
    ["in a tag", (json: string) => `I open it.\n<tool_call>\n${json}\n</tool_call>`],
    ["in an open tag", (json: string) => `<tool_call>${json}`],
    ["in a code block", (json: string) => `I open it.\n\`\`\`json\n${json}\n\`\`\``],
    ["alone", (json: string) => ` ${json}\n`]
  ] as const)("%s is carried out", ([, written]) =>
    Effect.gen(function* () {
      const running = yield* Running
      const open = JSON.stringify({ name: "navigate", arguments: { url: `${running.site.origin}/plain` } })
      const end = JSON.stringify({ name: "done", arguments: { success: true, output: "4711" } })
      script(running, { text: written(open) }, (now) => ({ text: shown(now).includes("4711") ? written(end) : "?" }))
      const { turn } = yield* carriedOut("What is the code?")
      assert.deepInclude(turn, { status: "completed", output: "4711", steps: 2 })
      assert.notInclude(told(running), "tool_call>")
    })
  )

  it.effect("counts only if the tool was offered and the model made no other call", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const quoted = '<tool_call>{"name":"navigate","arguments":{"url":"http://127.0.0.1:1/"}}</tool_call>'
      script(
        running,
        { text: '{"name":"fly","arguments":{}}' },
        { text: quoted, calls: [{ name: "find", input: { text: "x" } }] },
        done()
      )
      const { turn } = yield* carriedOut("Look")
      const steps = yield* running.store.stepsOf(turn.id)
      assert.deepStrictEqual(
        steps.map(({ tool }) => tool ?? null),
        [null, "find", "done"]
      )
    })
  )
})
