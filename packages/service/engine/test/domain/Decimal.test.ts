import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Decimal from "../../src/domain/Decimal.ts"

const Cents = Schema.Int.check(Schema.isBetween({ minimum: -1_000_000, maximum: 1_000_000 }))
/** The description's decimal numbers. */
const DecimalString = Schema.String.check(Schema.isPattern(/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/u))
const isDecimal = Schema.is(DecimalString)

describe("Decimal", () => {
  it.prop(
    "adds like integers of the smallest unit",
    [Cents, Cents],
    ([left, right]) => {
      const text = (cents: number) => (cents / 100).toFixed(2)
      assert.strictEqual(Decimal.add(text(left), text(right)), String((left + right) / 100))
    },
    { arbitrary: { seed: 1 } }
  )

  it.prop(
    "stays in the wire format for every valid value",
    [DecimalString, DecimalString],
    ([left, right]) => {
      assert.isTrue(isDecimal(Decimal.add(left, right)))
      assert.isTrue(isDecimal(Decimal.multiply(left, right)))
    },
    { arbitrary: { seed: 1 } }
  )

  it("is exact where binary fractions are not, and has no exponent", () => {
    assert.strictEqual(Decimal.add("0.1", "0.2"), "0.3")
    assert.strictEqual(Decimal.multiply("0.0000001", "0.0000001"), "0.00000000000001")
    assert.strictEqual(Decimal.multiply("1000000", "1000000"), "1000000000000")
    assert.strictEqual(Decimal.add("+.5", "3."), "3.5")
  })

  it("calculates a share, rounded half up to the millionth", () => {
    assert.strictEqual(Decimal.multiplyRatio("0.03", 90_000n, 60_000n), "0.045")
    assert.strictEqual(Decimal.multiplyRatio("0.05", 5n, 60_000n), "0.000004")
    assert.strictEqual(Decimal.multiplyRatio("1", 1n, 2_000_000n), "0.000001")
    assert.strictEqual(Decimal.multiplyRatio("0.0000004", 1n, 1n), "0")
    assert.strictEqual(Decimal.multiplyRatio("12", 1n, 3n), "4")
    assert.strictEqual(Decimal.multiplyRatio("100", 2n, 3n), "66.666667")
  })
})
