import { assert, describe, it } from "vitest"
import { ofMean } from "../src/Bootstrap.ts"
import { drawing } from "../src/Drawing.ts"
import { mean } from "../src/Quantile.ts"

describe("Bootstrap", () => {
  it("the true mean is within it about as often as it says", () => {
    const draw = drawing(11)
    let within = 0
    for (let world = 0; world < 300; world++) {
      const numbers = Array.from({ length: 50 }, () => (draw() < 0.8 ? 1 : 0))
      const found = ofMean(numbers, world)
      if (found !== undefined && found.low <= 0.8 && found.high >= 0.8) within += 1
    }
    assert.isAtLeast(within / 300, 0.9)
    assert.isAtMost(within / 300, 0.99)
  })

  it("the same for the same seed, around the mean, and as wide as the numbers are", () => {
    const numbers = [1, 1, 0.4, 0.8, 1, 0.6]
    const found = ofMean(numbers, 3)
    assert.deepStrictEqual(ofMean(numbers, 3), found)
    assert.isDefined(found)
    assert.isBelow(found.low, mean(numbers))
    assert.isAbove(found.high, mean(numbers))
    assert.deepStrictEqual(ofMean([1, 1, 1], 3), { low: 1, high: 1 })
  })

  it("has a fortieth of the means below it, and one above", () => {
    const { high, low } = ofMean(
      [...Array.from({ length: 200 }, () => 0), ...Array.from({ length: 200 }, () => 1)],
      1
    ) ?? { high: 0, low: 0 }
    // 1.96 deviations of the mean
    assert.closeTo(high, 0.5 + (1.96 * 0.5) / Math.sqrt(400), 0.004)
    assert.closeTo(low, 0.5 - (1.96 * 0.5) / Math.sqrt(400), 0.004)
  })

  it("of one number nothing can be said", () => assert.isUndefined(ofMean([1], 1)))
})
