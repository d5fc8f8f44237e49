import { assert, describe, it } from "vitest"
import { interval } from "../src/Wilson.ts"

describe("Wilson", () => {
  it("returns the published intervals", () => {
    // Newcombe, Statistics in Medicine 17 (1998), table I, method 3
    const cases = [
      [81, 263, 0.2553, 0.3662],
      [15, 148, 0.0624, 0.1605],
      [0, 20, 0, 0.1611],
      [1, 29, 0.0061, 0.1718]
    ] as const
    for (const [times, of, low, high] of cases) {
      const found = interval(times, of)
      assert.closeTo(found.low, low, 5e-5)
      assert.closeTo(found.high, high, 5e-5)
    }
  })

  it("returns the whole range without trials", () => assert.deepStrictEqual(interval(0, 0), { low: 0, high: 1 }))
})
