import { assert, describe, it } from "@effect/vitest"
import * as Money from "../src/Money.ts"

describe("Money", () => {
  it("compares and subtracts exactly, unlike floats", () => {
    assert.isFalse(Money.isMore(Money.sum(["0.1", "0.2"]), "0.3"))
    assert.isTrue(Money.isMore("0.30000000000000000001", "0.3"))
    assert.isFalse(Money.isMore("1.50", "1.5"))
    assert.strictEqual(Money.difference("1", "0.9"), "0.1")
    assert.strictEqual(Money.difference("0.9", "+1"), "-0.1")
    assert.strictEqual(Money.difference("1", "-1"), "2")
  })

  it("writes a sum in its shortest form, whatever its inputs look like", () => {
    const cases = [
      [[], "0"],
      [["1.50", "2.50"], "4"],
      [["-0.10", "+.05"], "-0.05"],
      [["1e-7", "2.5E3"], "2500.0000001"],
      [["100"], "100"],
      [["0.000"], "0"],
      // no numbers
      [["", "-", ".", "1.2.3", "free", "1e9999", "0x10"], "0"]
    ] as const
    for (const [amounts, total] of cases) assert.strictEqual(Money.sum(amounts), total, amounts.join(" "))
    assert.strictEqual(Money.share("-1", 1, 3), "-0.333333")
  })

  it("rounds a share up to a millionth", () => {
    const cases = [
      [["1", 1, 3], "0.333334"],
      [["1.50", 20, 3], "10"],
      [["0.000001", 1, 2], "0.000001"],
      [["0", 5, 3], "0"],
      [["0.1234567", 1, 1], "0.123457"],
      [["12345678901234567890.12", 2, 1], "24691357802469135780.24"]
    ] as const
    for (const [[amount, times, by], expected] of cases) assert.strictEqual(Money.share(amount, times, by), expected)
  })

  it("shows at least cents to people", () => {
    assert.deepStrictEqual(["5", "0.5", "0.0264"].map(Money.shown), ["5.00 USD", "0.50 USD", "0.0264 USD"])
    assert.deepStrictEqual(
      ["0", "4.125", "12", "0.0132", "0.0006", "0.396", "0.996", "-0.396", "9.999"].map(Money.rounded),
      ["0.00 USD", "4.13 USD", "12.00 USD", "0.013 USD", "0.0006 USD", "0.40 USD", "1.00 USD", "-0.40 USD", "10.00 USD"]
    )
  })
})
