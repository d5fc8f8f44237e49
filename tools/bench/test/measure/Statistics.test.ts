import { assert, describe, it } from "vitest"
import { ratioOf } from "../../src/measure/Statistics.ts"

describe("Statistics", () => {
  it("takes a ratio within each round, so that a slow round has no effect", () => {
    const { high, low, ratio } = ratioOf([20, 200, 22, 18], [10, 100, 11, 9])
    assert.deepStrictEqual([ratio, low, high], [2, 2, 2])
    assert.strictEqual(ratioOf([10, 60, 40], [10, 20, 40]).ratio, 1)
  })

  it("returns an interval that contains the ratio, no wider than the rounds show", () => {
    const { high, low, ratio } = ratioOf([21, 19, 20, 24, 18], [10, 10, 10, 10, 10])
    assert.strictEqual(ratio, 2)
    assert.isTrue(low < ratio && ratio < high, `${low} to ${high}`)
    assert.isTrue(low >= 1.8 && high <= 2.4, `${low} to ${high}`)
  })

  it("returns the same interval for the same figures", () => {
    const figures = Array.from({ length: 200 }, (_, round) => 1 + Math.sin(round) / 2)
    const ones = figures.map(() => 1)
    const intervals = () =>
      [80, 120, 160, 200].map((rounds) => ratioOf(figures.slice(0, rounds), ones.slice(0, rounds)))
    assert.deepStrictEqual(intervals(), intervals())
  })

  it("returns no ratio for lists of different rounds", () => {
    assert.throws(() => ratioOf([1, 2], [1]), /every round/u)
  })
})
