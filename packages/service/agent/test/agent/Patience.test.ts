import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call, carriedOut, done, numberOf, Running, script, shown, told } from "./running.ts"

layer(Running.layer(), { excludeTestServices: true })("a run", (it) => {
  it.effect("ends when it goes in circles on a page whose clock ticks", () =>
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

  it.effect("may raise a number by the same click many times", () =>
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
  it.effect("of failed and of repeated steps can be set", () =>
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
