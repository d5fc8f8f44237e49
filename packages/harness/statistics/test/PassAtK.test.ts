import { assert, describe, it } from "vitest"
import { all, atLeastOne } from "../src/PassAtK.ts"

const choose = (from: number, count: number): number =>
  count > from ? 0 : Array.from({ length: count }).reduce<number>((sum, _, i) => (sum * (from - i)) / (i + 1), 1)

describe("PassAtK", () => {
  it("equals the counts over all draws", () => {
    for (let of = 1; of <= 8; of++) {
      for (let passed = 0; passed <= of; passed++) {
        for (let k = 1; k <= of; k++) {
          assert.closeTo(all(passed, of, k), choose(passed, k) / choose(of, k), 1e-12)
          assert.closeTo(atLeastOne(passed, of, k), 1 - choose(of - passed, k) / choose(of, k), 1e-12)
        }
      }
    }
  })

  it("has no bias: its mean over all outcomes follows from the true rate", () => {
    const [rate, of, k] = [0.7, 10, 3]
    let one = 0
    let every = 0
    for (let passed = 0; passed <= of; passed++) {
      const chance = choose(of, passed) * rate ** passed * (1 - rate) ** (of - passed)
      one += chance * atLeastOne(passed, of, k)
      every += chance * all(passed, of, k)
    }
    assert.closeTo(one, 1 - (1 - rate) ** k, 1e-12)
    assert.closeTo(every, rate ** k, 1e-12)
  })

  it("equals the pass rate with one trial", () => {
    assert.closeTo(atLeastOne(3, 5, 1), 0.6, 1e-12)
    assert.closeTo(all(3, 5, 1), 0.6, 1e-12)
  })
})
