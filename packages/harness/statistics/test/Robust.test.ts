import { assert, describe, it } from "vitest"
import * as Robust from "../src/Robust.ts"

describe("robust levels", () => {
  it("hardly change with one outlier", () => {
    const numbers = [10, 11, 9, 10, 12, 8, 10, 11, 9]
    const wild = [...numbers, 1000]
    assert.strictEqual(Robust.median(wild), 10)
    assert.strictEqual(Robust.middleMean([1, 2, 3, 1000]), 2.5)
    assert.isBelow(Robust.deviation(wild), 3)
    assert.closeTo(Robust.deviation(numbers), 1.25, 0.1)
  })

  it("recognize that most numbers are equal, and that some are not", () => {
    assert.strictEqual(Robust.deviation([5, 5, 5, 5]), 0)
    assert.isAbove(Robust.deviation([5, 5, 5, 5, 7]), 0)
  })

  it("weigh numbers by their precision, and outliers less", () => {
    assert.deepStrictEqual(Robust.shares([1, 1], [1, 2]), [0.8, 0.2])
    const [near = 0, far = 0] = Robust.shares([0, 100, 0], [1, 1, 1])
    assert.closeTo(far / near, 1.5 / 100, 1e-12)
    const [, middle = 0, last = 0] = Robust.shares([10, 11, 20], [1, 1, 1])
    assert.closeTo(last / middle, 1.5 / 9, 1e-12)
  })
})
