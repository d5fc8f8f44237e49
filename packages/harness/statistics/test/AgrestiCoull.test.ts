import { assert, describe, it } from "vitest"
import { ofMean } from "../src/AgrestiCoull.ts"
import { drawing } from "../src/Drawing.ts"

const times = (count: number, share: number) => Array.from({ length: count }, () => share)

/** How often the interval contains the true mean, for tasks that have a rate of `low` or `high` with equal chance, five trials each. */
const coverage = (tasks: number, low: number, high: number) => {
  const draw = drawing(11)
  let within = 0
  for (let world = 0; world < 1000; world++) {
    const shares = Array.from({ length: tasks }, () => {
      const rate = draw() < 0.5 ? low : high
      return times(5, rate).filter((chance) => draw() < chance).length / 5
    })
    const found = ofMean(shares)
    if (found !== undefined && found.low <= (low + high) / 2 && found.high >= (low + high) / 2) within += 1
  }
  return within / 1000
}

describe("AgrestiCoull", () => {
  it.each([2, 3, 5, 11, 30, 130])("contains the true rate of %d tasks at least 92 % of the time", (tasks) => {
    assert.isAtLeast(coverage(tasks, 0, 1), 0.92)
    assert.isAtLeast(coverage(tasks, 0.2, 1), 0.92)
    assert.isAtLeast(coverage(tasks, 0.9, 0.9), 0.92)
  })

  it("is the published interval for shares of 0 and 1", () => {
    // Agresti and Coull give 0.479 to 0.954 for 8 of 10
    const { high = 0, low = 0 } = ofMean([...times(8, 1), ...times(2, 0)]) ?? {}
    assert.closeTo(low, 0.479, 5e-4)
    assert.closeTo(high, 0.954, 5e-4)
  })

  it("doesn't get narrower because a task failed once", () => {
    for (const count of [2, 3, 11, 30]) {
      const [all, but] = [ofMean(times(count, 1)), ofMean([...times(count - 1, 1), 0.8])]
      assert.isAtMost(but?.low ?? 1, all?.low ?? 0, String(count))
    }
    assert.deepStrictEqual(ofMean(times(500, 1))?.high, 1)
    assert.isAtMost(ofMean(times(5000, 0.999))?.low ?? 1, 0.999)
  })

  it("is undefined for one number", () => assert.isUndefined(ofMean([1])))
})
