import { assert, describe, it } from "vitest"
import { above, cdf, quantile } from "../src/StudentT.ts"

describe("quantile", () => {
  for (const [share, freedom, expected] of [
    [0.975, 1, 12.7062],
    [0.95, 5, 2.015],
    [0.99, 5, 3.3649],
    [0.975, 6, 2.4469],
    [0.995, 9, 3.2498],
    [0.975, 30, 2.0423],
    [0.975, 1e6, 1.96],
    [0.025, 6, -2.4469],
    [0.5, 3, 0]
  ] as const) {
    it(`returns ${expected} for ${share} at ${freedom}, as in tables`, () =>
      assert.closeTo(quantile(share, freedom), expected, 1e-4))
  }

  it("is the inverse of cdf", () => {
    for (const share of [0.001, 0.1, 0.6, 0.9999]) {
      assert.closeTo(cdf(quantile(share, 4), 4), share, 1e-9)
    }
  })
})

describe("above", () => {
  it("is exact in the far tail", () => {
    assert.closeTo(above(6, 29) / 7.963_954_213_087_344e-7, 1, 1e-9)
    assert.closeTo(above(10, 4) / 0.000_281_001_811_357_995_5, 1, 1e-9)
    assert.strictEqual(above(Infinity, 4), 0)
  })
})
