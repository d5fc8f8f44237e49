import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call, carriedOut, done, followedUp, Running, script, shown } from "./running.ts"

layer(Running.layer(), { excludeTestServices: true, timeout: "1 minute" })("a run", (it) => {
  it.effect("is steps, and ends with what was found and what it cost", () =>
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

  it.effect("says which modelParams it does not pass on", () =>
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

  it.effect("has a follow-up in the same browser, with what was said before", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(running, call("navigate", { url: `${running.site.origin}/plain` }), done("4711"))
      const { session } = yield* carriedOut("What is the code?")
      script(running, (now) => done(/URL: \S+\/plain/u.test(shown(now))))
      const second = yield* followedUp(session.id, "And where are you?")
      assert.strictEqual(second.output, true)
      const said = running.model.requests[0]?.messages.map(({ text }) => text).join("\n")
      assert.include(said, "Task: What is the code?")
      assert.include(said, "Task: And where are you?")
    })
  )
})
