import { assert, describe, it } from "vitest"
import * as Fisher from "../src/Fisher.ts"
import * as Stratified from "../src/Stratified.ts"

const stratum = (failed: number, of: number, failedBefore: number, ofBefore: number): Stratified.Stratum => ({
  now: { passed: of - failed, of },
  before: { passed: ofBefore - failedBefore, of: ofBefore }
})

describe("the stratified exact test", () => {
  const strata = [stratum(2, 5, 3, 50), stratum(1, 5, 10, 50), stratum(3, 5, 4, 50)]

  it("is the sum of hypergeometric distributions, as convolved by NumPy", () => {
    assert.closeTo(Stratified.worse(strata) / 0.008_052_710_915_581_022, 1, 1e-9)
    assert.closeTo(Stratified.better(strata) / 0.998_765_800_678_002, 1, 1e-9)
  })

  it("equals Fisher's with one stratum", () => {
    const one = stratum(4, 5, 7, 150)
    assert.closeTo(Stratified.worse([one]) / Fisher.fewer(one.now, one.before), 1, 1e-9)
  })

  it("ignores strata that never fail, and accepts those that always fail", () => {
    assert.closeTo(Stratified.worse([...strata, stratum(0, 5, 0, 500)]) / Stratified.worse(strata), 1, 1e-9)
    assert.closeTo(Stratified.worse([...strata, stratum(5, 5, 50, 50)]) / Stratified.worse(strata), 1, 1e-9)
  })

  it("does not mistake a change of weights for one of rates, as pooled counts would", () => {
    // a bad scenario that ran oftener tonight: 50 % and 100 % as before
    const shifted = [stratum(10, 20, 15, 30), stratum(0, 5, 0, 150)]
    assert.isAbove(Stratified.worse(shifted), 0.5)
    assert.isBelow(Fisher.fewer({ passed: 15, of: 25 }, { passed: 165, of: 180 }), 0.001)
  })
})
