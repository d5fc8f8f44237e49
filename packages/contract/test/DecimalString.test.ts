import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { decimalPattern, DecimalString } from "../src/DecimalString.ts"

/** As the description writes it; cubic, so only ever run on short text. */
const described = /^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$/u

const alphabet = ["+", "-", ".", "0", "1", "9", "e", "x", " ", "\n"]

const everyString = function* (length: number): Generator<string> {
  if (length === 0) return yield ""
  for (const rest of everyString(length - 1)) for (const symbol of alphabet) yield rest + symbol
}

describe("DecimalString", () => {
  it("accepts exactly the described language: every string of up to five symbols", () => {
    let compared = 0
    for (let length = 0; length <= 5; length++) {
      for (const text of everyString(length)) {
        compared++
        if (described.test(text) !== decimalPattern.test(text)) assert.fail(`differs on ${JSON.stringify(text)}`)
      }
    }
    assert.strictEqual(compared, 111_111)
  })

  it("refuses a million zeros and an x quickly, where the described pattern would hang", () => {
    assert.isFalse(Schema.is(DecimalString)(`${"0".repeat(1_000_000)}x`))
  })

  it("checks text, and refuses a number", () => {
    const is = Schema.is(DecimalString)
    for (const text of ["0", "1.5", "-3", "+.5", "5.", "007"]) assert.isTrue(is(text), text)
    for (const value of ["", "-", ".", "+.-", "1e5", "1,5", 1.5]) assert.isFalse(is(value), String(value))
  })
})
