import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as OutputSchema from "../../src/agent/OutputSchema.ts"

const fitOf = (schema: Schema.JsonObject | null) => Effect.runSync(OutputSchema.make(schema))

const price = {
  type: "object",
  properties: { price: { type: "number" } },
  required: ["price"],
  additionalProperties: false
}

describe("OutputSchema", () => {
  it("accepts any output by default", () => {
    assert.deepStrictEqual(fitOf(null)({ any: ["thing"] }), Result.succeed({ any: ["thing"] }))
  })

  it("explains why an output doesn't fit", () => {
    const fit = fitOf(price)
    assert.deepStrictEqual(fit({ price: 12 }), Result.succeed({ price: 12 }))
    assert.match(String(Result.getFailure(fit({ price: "12 EUR" }))), /price/u)
    assert.isTrue(Result.isFailure(fit({ price: 12, more: 1 })))
    assert.isTrue(Result.isFailure(fit("text")))
  })

  it("accepts an object that a model wrote as text", () => {
    assert.deepStrictEqual(fitOf(price)('{"price": 12}'), Result.succeed({ price: 12 }))
    assert.deepStrictEqual(fitOf({ type: "string" })("12"), Result.succeed("12"))
  })

  it("requires a pattern to match, and a slow one doesn't block the agent", () => {
    const fit = fitOf({ type: "object", properties: { date: { type: "string", pattern: "^\\d{4}-\\d{2}$" } } })
    assert.isTrue(Result.isSuccess(fit({ date: "2026-11" })))
    assert.match(String(Result.getFailure(fit({ date: "November" }))), /at \[.*date/u)
    const endless = fitOf({ type: "string", pattern: "^(a+)+$" })
    assert.match(String(Result.getFailure(endless(`${"a".repeat(40)}!`))), /took longer than 100 ms/u)
    const error = Effect.runSync(Effect.flip(OutputSchema.make({ type: "string", pattern: "(" })))
    assert.match(error.message, /^The outputSchema cannot be used: /u)
  })

  it("reads definitions of draft 2020-12 and of draft 7", () => {
    for (const [name, definitions] of [
      ["$defs", { Mug: price }],
      ["definitions", { Mug: price }]
    ] as const) {
      const fit = fitOf({ type: "array", items: { $ref: `#/${name}/Mug` }, [name]: definitions })
      assert.isTrue(Result.isSuccess(fit([{ price: 1 }])), name)
      assert.isTrue(Result.isFailure(fit([{ price: "1" }])), name)
    }
  })

  it("refuses a schema that can't be checked, with a sentence", () => {
    for (const schema of [
      { type: "object", $ref: "#/$defs/Nothing" },
      { type: "object", dependentRequired: { a: ["b"] } }
    ]) {
      const error = Effect.runSync(Effect.flip(OutputSchema.make(schema)))
      assert.match(error.message, /^The outputSchema cannot be used: /u)
    }
  })
})
