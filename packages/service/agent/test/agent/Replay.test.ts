import { assert, layer } from "@effect/vitest"
import { StepCall } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { call, carriedOut, done, numberOf, Running, script, shown } from "./running.ts"

/** The number of the button of an item. */
const addOf = (running: Running["Service"], item: string): number => {
  const [, number] = new RegExp(String.raw`${item} \*?\[(\d+) button "Add"`, "u").exec(shown(running)) ?? []
  return Number(number)
}

const order = (running: Running["Service"]) =>
  script(
    running,
    call("navigate", { url: `${running.site.origin}/shop` }),
    (now) => call("click", { index: addOf(now, "Cup") }),
    call("note", { text: "The cup is in the cart." }),
    (now) => ({
      calls: [
        { name: "type", input: { index: numberOf(now, "Name"), text: "Ann" } },
        { name: "check", input: { index: numberOf(now, "Gift"), checked: true } },
        { name: "select", input: { index: numberOf(now, "Size"), values: ["Large"] } }
      ]
    }),
    (now) => call("click", { index: numberOf(now, "Order") }),
    done("Order 4711 is placed.")
  )

/** Has a model order a cup, and returns the run. */
const recorded = Effect.gen(function* () {
  const running = yield* Running
  running.site.variant = ""
  running.site.saw()
  order(running)
  const { turn } = yield* carriedOut("Order a large cup for Ann, as a gift")
  assert.deepStrictEqual(running.site.saw(), ["order Cup Large true Ann"])
  assert.strictEqual(turn.status, "completed")
  return turn
})

const replay = (of: string, mayAsk = true) => ({ replay: StepCall.replayOf(of, mayAsk) })

const stepsOf = (turnId: string) => Running.use(({ store }) => Effect.orDie(store.stepsOf(turnId)))

layer(Running.layer(), { excludeTestServices: true })("a replay", (it) => {
  it.effect("repeats all steps without a model, at no cost", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const { id } = yield* recorded
      script(running)
      const { turn } = yield* carriedOut("Order a large cup for Ann, as a gift", replay(id))
      assert.strictEqual(turn.error, null)
      assert.deepInclude(turn, { status: "completed", output: "Order 4711 is placed.", isSuccess: true, cost: "0" })
      assert.deepStrictEqual(turn.replay, { of: id, mayAsk: true, replayed: 5, healed: 0, asked: 0 })
      assert.deepStrictEqual(running.site.saw(), ["order Cup Large true Ann"])
      assert.lengthOf(running.model.requests, 0)
      const steps = yield* stepsOf(turn.id)
      assert.deepStrictEqual(
        steps.map(({ repetition, tool, verified }) => `${tool} ${repetition} ${verified}`),
        [
          "navigate replayed true",
          "click replayed true",
          "type replayed true",
          "click replayed true",
          "done replayed null"
        ]
      )
    })
  )

  it.effect("of a replay repeats the same steps", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const { id } = yield* recorded
      script(running)
      const first = yield* carriedOut("Order", replay(id, false))
      const second = yield* carriedOut("Order", replay(first.turn.id, false))
      assert.deepInclude(second.turn.replay, { replayed: 5, healed: 0, asked: 0 })
      assert.lengthOf(running.site.saw(), 2)
    })
  )

  it.effect("finds moved elements by their role, their name and the text around them", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const { id } = yield* recorded
      running.site.variant = "moved"
      script(running)
      const { turn } = yield* carriedOut("Order", replay(id))
      assert.strictEqual(turn.error, null)
      assert.deepStrictEqual(turn.replay, { of: id, mayAsk: true, replayed: 2, healed: 3, asked: 0 })
      assert.deepStrictEqual(running.site.saw(), ["order Cup Large true Ann"])
      assert.lengthOf(running.model.requests, 0)
    })
  )

  it.effect("asks the model only for a step that can't be repeated, and continues after it", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const { id } = yield* recorded
      running.site.variant = "renamed"
      script(running, (now) => call("click", { index: numberOf(now, "Buy now") }), call("resume", { step: 5 }))
      const { turn } = yield* carriedOut("Order", replay(id))
      assert.strictEqual(turn.error, null)
      assert.deepInclude(turn, { status: "completed", output: "Order 4711 is placed." })
      assert.deepInclude(turn.replay, { replayed: 4, healed: 0, asked: 2 })
      assert.deepStrictEqual(running.site.saw(), ["order Cup Large true Ann"])
      assert.lengthOf(running.model.requests, 2)
      const [first] = running.model.requests
      assert.include(first?.text, "step 4 of 5 can't be repeated")
      assert.match(first?.text ?? "", /<page-(\w+)>\nThe page has no button "Order".*\n4\. .*\n5\. .*\n<\/page-\1>/u)
      assert.notStrictEqual(turn.cost, "0")
    })
  )

  it.effect("repeats a step again after the model has cleared the way", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const { id } = yield* recorded
      running.site.variant = "covered"
      script(running, (now) => call("click", { index: numberOf(now, "Accept cookies") }), call("resume", { step: 2 }))
      const { turn } = yield* carriedOut("Order", replay(id))
      assert.strictEqual(turn.error, null)
      assert.deepInclude(turn.replay, { replayed: 5, healed: 0, asked: 2 })
      assert.deepStrictEqual(running.site.saw(), ["order Cup Large true Ann"])
    })
  )

  it.effect("that may not ask a model fails, and names the step", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const { id } = yield* recorded
      running.site.variant = "renamed"
      script(running)
      const { turn } = yield* carriedOut("Order", replay(id, false))
      assert.deepInclude(turn, { status: "failed", failure: "not_replayable", cost: "0" })
      assert.match(
        String(turn.error),
        /^Step 4 of 5 can't be repeated \(click button "Order"\): The page has no button "Order", or several that can't be told apart\.$/u
      )
      assert.deepStrictEqual(running.site.saw(), [])
      assert.lengthOf(running.model.requests, 0)
    })
  )

  it.effect("doesn't return earlier pages' results: the model reads changed parts", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const { id } = yield* recorded
      running.site.variant = "changed"
      script(running, done("Order 5822 is placed."))
      const { turn } = yield* carriedOut("Order", replay(id))
      assert.deepInclude(turn, { status: "completed", output: "Order 5822 is placed." })
      assert.deepInclude(turn.replay, { replayed: 4, asked: 1 })
      assert.include(running.model.requests[0]?.text, `The pages don't show "4711" of the recorded result any more.`)
    })
  )

  it.effect("fails if its recorded steps are gone", () =>
    Effect.gen(function* () {
      const { turn } = yield* carriedOut("Order", replay("no-run"))
      assert.deepInclude(turn, { status: "failed", failure: "not_replayable" })
      assert.include(turn.error, "The steps of run no-run are gone.")
    })
  )
})

const password = "canary-hunter2"

layer(Running.layer(), { excludeTestServices: true })("a replay of a sign-in", (it) => {
  const signIn = (running: Running["Service"], text: string) =>
    script(
      running,
      call("navigate", { url: `${running.site.origin}/pin` }),
      (now) => call("type", { index: numberOf(now, "Password"), text, submit: true }),
      done("ok")
    )
  const secrets = (running: Running["Service"]) => ({
    secrets: [
      {
        alias: "pin",
        domains: [new URL(running.site.origin).host],
        source: { type: "inline" as const, value: Redacted.make(password) }
      }
    ]
  })

  it.effect("types a secret that is bound to the new run, and no step contains its value", () =>
    Effect.gen(function* () {
      const running = yield* Running
      signIn(running, "<secret:pin>")
      const { turn: first } = yield* carriedOut("Sign in", secrets(running))
      assert.strictEqual(first.status, "completed")
      const before = running.site.saw()
      assert.include(JSON.stringify(before), password)
      script(running)
      const { turn } = yield* carriedOut("Sign in", { ...replay(first.id, false), ...secrets(running) })
      assert.strictEqual(turn.error, null)
      assert.deepStrictEqual(running.site.saw(), before)
      for (const { id } of [first, turn]) assert.notInclude(JSON.stringify(yield* stepsOf(id)), "hunter2")
      const { turn: unbound } = yield* carriedOut("Sign in", replay(first.id, false))
      assert.include(unbound.error, `There is no secret "pin".`)
    })
  )

  it.effect("can't type a password that was no secret, because it isn't stored", () =>
    Effect.gen(function* () {
      const running = yield* Running
      signIn(running, password)
      const { turn: first } = yield* carriedOut("Sign in")
      assert.notInclude(JSON.stringify(yield* stepsOf(first.id)), "hunter2")
      script(running)
      const { turn } = yield* carriedOut("Sign in", replay(first.id, false))
      assert.include(turn.error, "Bind a password as a secret, so that it can be typed again.")
    })
  )
})
