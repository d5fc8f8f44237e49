import { assert, describe, it } from "vitest"
import * as Robust from "../src/Robust.ts"

describe("robust levels", () => {
  it("are hardly moved by one wild number", () => {
    const numbers = [10, 11, 9, 10, 12, 8, 10, 11, 9]
    const wild = [...numbers, 1000]
    assert.strictEqual(Robust.median(wild), 10)
    assert.strictEqual(Robust.middleMean([1, 2, 3, 1000]), 2.5)
    assert.isBelow(Robust.deviation(wild), 3)
    assert.closeTo(Robust.deviation(numbers), 1.25, 0.1)
  })

  it("know that most numbers are the same, and that some are not", () => {
    assert.strictEqual(Robust.deviation([5, 5, 5, 5]), 0)
    assert.isAbove(Robust.deviation([5, 5, 5, 5, 7]), 0)
  })
})
