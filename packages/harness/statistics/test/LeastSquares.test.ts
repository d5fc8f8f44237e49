import { assert, describe, it } from "vitest"
import * as LeastSquares from "../src/LeastSquares.ts"

const values = [1.2, 0.7, 2.4, 3.1, 2.2, 4.9, 4.1, 6.3]
const places = values.map((_, index) => index)
const ones = values.map(() => 1)
const memory = 0.6

describe("least squares", () => {
  it("with independent errors returns a line's known slope", () => {
    const fit = LeastSquares.generalized(
      LeastSquares.factor(values.length, (row, column) => (row === column ? 1 : 0)),
      [ones, places],
      values
    )
    // 8 values: the places' squares around 3.5 are 42
    const slope = places.reduce((sum, place) => sum + (place - 3.5) * (values[place] ?? 0), 0) / 42
    const middle = values.reduce((sum, value) => sum + value, 0) / 8
    const left = values.reduce((sum, value, place) => sum + (value - middle - slope * (place - 3.5)) ** 2, 0)
    assert.closeTo(fit.estimate, slope, 1e-12)
    assert.closeTo(fit.error, 1 / Math.sqrt(42), 1e-12)
    assert.closeTo(fit.squares, left, 1e-12)
    assert.strictEqual(fit.freedom, 6)
    // the normal matrix of 8 ones and places around 3.5 has the determinant 8 times 42
    assert.closeTo(fit.logDeterminant, Math.log(8 * 42) / 2, 1e-12)
  })

  it("with autocorrelated errors matches their independent parts (Prais and Winsten)", () => {
    const independent = (of: ReadonlyArray<number>) =>
      of.map((value, index) =>
        index === 0 ? value : (value - memory * (of[index - 1] ?? 0)) / Math.sqrt(1 - memory ** 2)
      )
    const one = LeastSquares.generalized(
      LeastSquares.factor(values.length, (row, column) => memory ** Math.abs(row - column)),
      [ones, places],
      values
    )
    const other = LeastSquares.generalized(
      LeastSquares.factor(values.length, (row, column) => (row === column ? 1 : 0)),
      [independent(ones), independent(places)],
      independent(values)
    )
    for (const key of ["estimate", "error", "squares"] as const) assert.closeTo(one[key], other[key], 1e-12)
    // the covariance has the determinant (1 - memory²)⁷
    assert.closeTo(one.logDeterminant - other.logDeterminant, 3.5 * Math.log(1 - memory ** 2), 1e-12)
  })
})
