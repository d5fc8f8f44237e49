import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { parseTaskScript, writeTaskScript } from "../src/TaskScript.ts"

const parsed = (task: string) => Result.getOrThrow(parseTaskScript(task))
const refusal = (task: string) => Result.getOrThrow(Result.flip(parseTaskScript(task)))

const Words = Schema.String.check(Schema.isPattern(/^[^[\]]*$/u))

describe("TaskScript", () => {
  it("reads every key", () => {
    const script = parsed(
      'Buy it [simulate outcome=failed duration=1.5s output="no \\"mug\\" ]" error="sold out" cost=0.0132 success=false ' +
        "judge=true suggestions=2 keepAlive=false persistMemory=false recording=true proxyMb=12.5 steps=3] please"
    )
    assert.deepStrictEqual(script, {
      outcome: "failed",
      duration: Duration.millis(1500),
      output: 'no "mug" ]',
      error: "sold out",
      cost: "0.0132",
      success: false,
      judge: true,
      suggestions: 2,
      keepAlive: false,
      persistMemory: false,
      recording: true,
      proxyMb: "12.5",
      steps: 3
    })
  })

  for (const [text, output] of [
    ["mug", "mug"],
    ["42", 42],
    ["true", true],
    ["null", null],
    ['["a]", {"b": [1, 2]}]', ["a]", { b: [1, 2] }]],
    ['{"price": 9.5, "in stock": true}', { price: 9.5, "in stock": true }]
  ] as const) {
    it(`reads output=${text} as ${JSON.stringify(output)}`, () => {
      assert.deepStrictEqual(parsed(`x [simulate output=${text}]`).output, output)
      assert.deepStrictEqual(parsed(`x [simulate output=${text} cost=1]`).output, output)
    })
  }

  for (const [text, millis] of [
    ["200ms", 200],
    ["2s", 2000],
    ["1m", 60_000],
    ["0.5h", 1_800_000]
  ] as const) {
    it(`reads duration=${text}`, () => {
      assert.strictEqual(Duration.toMillis(parsed(`[simulate duration=${text}]`).duration ?? 0), millis)
    })
  }

  it("is written as one bracket after the task, with the given options only", () => {
    assert.strictEqual(writeTaskScript("Buy a mug", {}), "Buy a mug [simulate]")
    assert.strictEqual(writeTaskScript("Buy a mug", { output: undefined }), "Buy a mug [simulate]")
    assert.strictEqual(
      writeTaskScript("x", { outcome: "failed", duration: "200ms", cost: "0.0132", error: "no mug", suggestions: 2 }),
      'x [simulate outcome=failed duration=200ms cost=0.0132 error="no mug" suggestions=2]'
    )
  })

  it.prop(
    "reads back an error or output that it wrote",
    [Schema.String, Schema.Json, Words],
    ([error, json, words]) => {
      const output: Schema.Json = JSON.parse(JSON.stringify(json))
      assert.deepStrictEqual(parsed(writeTaskScript(words, { error, output, judge: false })), {
        error,
        output,
        judge: false
      })
    },
    { arbitrary: { seed: 1 } }
  )

  for (const output of ["true", true, { a: ["]"] }]) {
    it(`keeps the type of the output ${JSON.stringify(output)}`, () => {
      assert.deepStrictEqual(parsed(writeTaskScript("x", { output })).output, output)
    })
  }

  it.prop(
    "is empty for a text without a script",
    [Words],
    ([words]) => {
      assert.deepStrictEqual(parsed(words), {})
      assert.deepStrictEqual(parsed(`${words}[simulated cost=1]`), {})
      assert.deepStrictEqual(parsed(`${words}[simulate]${words}`), {})
    },
    { arbitrary: { seed: 1 } }
  )

  it.prop(
    "returns any JSON as output, whatever text surrounds it",
    [Schema.Json, Words],
    ([value, words]) => {
      const task = `${words}[simulate outcome=completed output=${JSON.stringify(value)} cost=1]${words}`
      assert.deepStrictEqual(parsed(task), {
        outcome: "completed",
        output: JSON.parse(JSON.stringify(value)),
        cost: "1"
      })
    },
    { arbitrary: { seed: 1 } }
  )

  it.prop(
    "reads any text or refuses it with a sentence",
    [Schema.String],
    ([text]) => {
      const result = parseTaskScript(`[simulate ${text}`)
      assert.isTrue(Result.isSuccess(result) || result.failure.endsWith("."))
    },
    { arbitrary: { seed: 1 } }
  )

  it("refuses unknown options, and lists the known ones", () => {
    const known =
      "outcome, duration, output, error, cost, success, judge, suggestions, keepAlive, persistMemory, recording, proxyMb, steps, ask, choices"
    assert.strictEqual(refusal("[simulate outcom=failed]"), `Unknown key "outcom" in the script. Known are ${known}.`)
    assert.include(refusal("[simulate toString=1]"), 'Unknown key "toString"')
    assert.strictEqual(
      refusal("[simulate outcome=great]"),
      'The value of "outcome" in the script is "great", expected completed or failed or cancelled.'
    )
    assert.include(refusal("[simulate duration=2 s]"), "expected a number with ms, s, m or h")
    assert.include(refusal("[simulate success=yes]"), "expected true or false")
    assert.include(refusal("[simulate cost=-1]"), "expected a decimal number")
    assert.include(refusal("[simulate cost=1 cost=2]"), 'has the key "cost" twice')
    assert.include(refusal('[simulate output="mug]'), 'The value of "output"')
    assert.include(refusal("[simulate cost=1"), "Expected key=value or ]")
    assert.include(refusal("[simulate cost]"), "Expected key=value or ]")
  })

  it("reads a hundred thousand characters quickly", () => {
    for (const hostile of ["[".repeat(1e5), " ".repeat(1e5), 'output="'.repeat(1e4), "a=".repeat(1e5)]) {
      assert.isTrue(Result.isFailure(parseTaskScript(`[simulate ${hostile}`)))
    }
  })
})
