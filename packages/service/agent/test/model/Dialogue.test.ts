import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Dialogue from "../../src/model/Dialogue.ts"
import * as RecordedModels from "../../src/model/RecordedModels.ts"
import { call, carriedOut, done, numberOf, Running, script } from "../agent/running.ts"

const lines: Array<string> = []
const canary = "canary-hunter2"

const record = (_: string, exchange: Dialogue.Exchange) => Effect.sync(() => void lines.push(Dialogue.lineOf(exchange)))

const secret = (running: Running["Service"]) => ({
  alias: "pin",
  domains: [new URL(running.site.origin).host],
  source: { type: "inline" as const, value: Redacted.make(canary) }
})

/** The dialogue of a run that types a secret, with a placeholder for the site's address. */
const recorded = Effect.gen(function* () {
  const running = yield* Running
  const { origin } = running.site
  lines.length = 0
  script(
    running,
    call("navigate", { url: `${origin}/keeps` }),
    (now) => ({
      ...call("type", { index: numberOf(now, "User"), text: "<secret:pin>" }),
      thought: "I type it.",
      text: "Typing.",
      usage: { input: 9, output: 2 }
    }),
    // a model can have guessed the value
    done(`in as ${canary}`)
  )
  const { turn } = yield* carriedOut("Sign in", { secrets: [secret(running)] })
  assert.strictEqual(turn.status, "completed")
  return lines.join("").replaceAll(origin, "https://site.test")
})

/** Carries out the task of the recorded dialogue with it in place of a model. */
const repeat = (exchanges: ReadonlyArray<Dialogue.Exchange>) =>
  Effect.gen(function* () {
    const running = yield* Running
    running.site.saw()
    const { turn } = yield* carriedOut("Sign in", { secrets: [secret(running)] })
    return { turn, steps: yield* Effect.orDie(running.store.stepsOf(turn.id)) }
  }).pipe(
    Effect.provide(
      Layer.fresh(
        Running.layer({}, {}, (site) =>
          RecordedModels.layer(exchanges, { change: (text) => text.replaceAll("https://site.test", site.origin) })
        )
      )
    )
  )

layer(Running.layer({ record }), { excludeTestServices: true })("a recorded dialogue", (it) => {
  it.effect("repeats a run without its model, and contains no secret", () =>
    Effect.gen(function* () {
      const text = yield* recorded
      assert.notInclude(text, "hunter2")
      const exchanges = yield* Dialogue.parse(text)
      assert.deepStrictEqual(
        exchanges.map(({ content }) => content.filter(({ type }) => type === "tool-call").map(({ name }) => name)),
        [["navigate"], ["type"], ["done"]]
      )
      assert.include(exchanges[1]?.shown, 'textbox "User"')
      assert.deepStrictEqual(exchanges[1]?.usage, { input: 9, output: 2 })
      const { steps, turn } = yield* repeat(exchanges)
      assert.strictEqual(turn.error, null)
      assert.deepInclude(turn, { status: "completed", output: "in as <secret:pin>" })
      assert.deepStrictEqual(
        steps.map(({ ended, tool }) => [tool, ended?.failure]),
        [
          ["navigate", null],
          ["type", null],
          ["done", null]
        ]
      )
    })
  )

  it.effect("is refused as outdated if the instructions or tools have changed", () =>
    Effect.gen(function* () {
      const [first, second, ...rest] = yield* Dialogue.parse(yield* recorded)
      if (first === undefined || second === undefined) return assert.fail("no dialogue")
      const { turn: stale } = yield* repeat([first, { ...second, prompt: "0123456789abcdef" }, ...rest])
      assert.deepInclude(stale, { status: "failed", failure: "model_error" })
      assert.include(stale.error, "have changed since response 2 was recorded. Record it again.")
      const { turn: short } = yield* repeat([first])
      assert.include(short.error, "The recorded dialogue has only 1 responses. Record it again.")
    })
  )

  it.effect("fails with the line number if it can't be read", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Dialogue.parse(`${yield* recorded}\n{"model":1}\n`))
      assert.match(error.message, /^Line 5 is no exchange of a recorded dialogue\./u)
    })
  )
})
