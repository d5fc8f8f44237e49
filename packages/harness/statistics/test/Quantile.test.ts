import { assert, describe, it } from "vitest"
import { deviation, mean, quantile, sorted } from "../src/Quantile.ts"

describe("quantile", () => {
  it("interpolates between two numbers, as k6 does", () => {
    const numbers = sorted([40, 10, 30, 20])
    assert.deepStrictEqual(
      [0, 0.5, 0.9, 1].map((share) => quantile(numbers, share)),
      [10, 25, 37, 40]
    )
    assert.strictEqual(quantile([7], 0.95), 7)
    assert.isNaN(quantile([], 0.95))
  })
})

describe("mean and deviation", () => {
  it("are the sample's", () => {
    assert.strictEqual(mean([2, 4, 4, 4, 5, 5, 7, 9]), 5)
    assert.closeTo(deviation([2, 4, 4, 4, 5, 5, 7, 9]), 2.138_09, 1e-5)
    assert.isNaN(deviation([1]))
  })
})
