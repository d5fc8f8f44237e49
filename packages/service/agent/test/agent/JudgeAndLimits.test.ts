import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call, carriedOut, done, numberOf, Running, script, shown, told } from "./running.ts"

const categories = ({
  suggestions
}: {
  readonly suggestions: ReadonlyArray<Readonly<Record<string, unknown>>> | null
}) => suggestions?.map(({ category }) => category) ?? []

const refusing = Running.layer({
  judges: true,
  limits: { steps: 4 },
  approve: ({ address, tool }) =>
    Effect.succeed(tool === "click" && address.endsWith("/plain") ? "links need a person" : undefined)
})

layer(refusing, { excludeTestServices: true })("an agent with a judge and limits", (it) => {
  it.effect("is judged by a second look, which never overrides the agent's own verdict", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const verdict = {
        reasoning: "The code is another.",
        verdict: false,
        failure_reason: "wrong code",
        impossible_task: false,
        reached_captcha: false
      }
      script(running, (_, { schema }) => (schema === undefined ? done("4712") : { text: JSON.stringify(verdict) }))
      const { turn } = yield* carriedOut("What is the code?")
      assert.isTrue(turn.isSuccess)
      assert.deepStrictEqual(turn.judgement, {
        verdict: false,
        reasoning: "The code is another.",
        failureReason: "wrong code",
        impossibleTask: false,
        reachedCaptcha: false
      })
      const half = "mug \u{1f375}".slice(0, 5)
      script(running, (_, { schema }) =>
        schema === undefined
          ? { text: half, ...done({ [half]: [half] }) }
          : { text: JSON.stringify({ ...verdict, reasoning: half, failure_reason: half }) }
      )
      const { turn: ended } = yield* carriedOut("What is the code?")
      const mug = "mug \ufffd"
      assert.deepStrictEqual(ended.output, { [mug]: [mug] })
      assert.deepInclude(ended.judgement, { reasoning: mug, failureReason: mug })
      const [step] = yield* running.store.stepsOf(ended.id)
      assert.strictEqual(step?.summary, `done true {"${mug}":["${mug}"]}`)
      script(running, (_, { schema }) => (schema === undefined ? done("4711") : { status: 400, message: "no schemas" }))
      const { turn: unjudged } = yield* carriedOut("What is the code?")
      assert.deepInclude(unjudged, { status: "completed", judgement: null })
    })
  )

  it.effect("asks before irreversible actions, and tells the model about a refusal", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(
        running,
        call("navigate", { url: `${running.site.origin}/plain` }),
        (now) => call("click", { index: numberOf(now, "Second page") }),
        (now) => done(shown(now).includes("/plain"))
      )
      const { turn } = yield* carriedOut("Go on")
      assert.strictEqual(turn.output, true)
      assert.include(told(running), "It was not approved: links need a person")
    })
  )

  it.effect("gets a last step to finish the task, then ends it with advice for the caller", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(running, (_, { messages }) => call("find", { text: `${messages.length}` }))
      const { turn } = yield* carriedOut("Wander")
      assert.deepInclude(turn, { status: "failed", error: "The run reached its limit of 4 steps.", isSuccess: false })
      assert.deepStrictEqual(categories(turn), ["steps"])
      assert.deepStrictEqual(running.model.requests.at(-1)?.tools, ["done"])
    })
  )
})

const hasty = Running.layer({ limits: { duration_ms: 1 } })

layer(hasty, { excludeTestServices: true })("an agent without time", (it) => {
  it.effect("ends its task even while the model is responding", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(running, () => () => undefined)
      const { turn } = yield* carriedOut("Hurry")
      assert.deepInclude(turn, { status: "failed", isSuccess: false })
      assert.match(turn.error ?? "", /^The run reached its time limit of 1ms\.$/u)
      assert.deepStrictEqual(categories(turn), ["time"])
    })
  )
})
