import { assert, describe, it } from "vitest"
import * as BetaBinomial from "../src/BetaBinomial.ts"
import * as Robust from "../src/Robust.ts"

// by SciPy 1.17.1: least, trials, a, b, chance
const scipy = [
  [1, 5, 0.3, 160, 0.009208737666450131],
  [3, 5, 0.3, 160, 2.073385301924248e-6],
  [5, 5, 2, 40, 4.377153012137849e-6],
  [7, 20, 3, 57, 0.0006813851539915569],
  [20, 20, 0.5, 500, 2.1551244237087147e-37],
  [30, 65, 10, 190, 5.037017568994318e-14],
  [2, 65, 0.01, 1, 0.036864661791722556]
] as const

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

describe("the beta-binomial distribution", () => {
  it("has the values of scipy.stats.betabinom, summed from its probabilities: its sf loses the smallest", () => {
    for (const [least, trials, a, b, expected] of scipy) {
      assert.closeTo(BetaBinomial.atLeast(least, trials, a, b) / expected, 1, 1e-9, `${least} of ${trials}`)
    }
    assert.strictEqual(BetaBinomial.atLeast(0, 5, 1, 1), 1)
  })
})
