import { assert, describe, it } from "vitest"
import * as Interval from "../src/Interval.ts"
import { drawing } from "../src/Drawing.ts"

const draw = drawing(20_261_121)
/** A number from the normal distribution. */
const normal = () => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())

/** How often something is so, of many. */
const share = (times: number, holds: () => boolean) =>
  Array.from({ length: times }, holds).filter(Boolean).length / times

describe("ofMean", () => {
  it("is Student's interval", () => {
    const { detectable, high, low, middle } = Interval.ofMean([1, 2, 3, 4, 5, 6, 7], 0.025)
    assert.closeTo(middle, 4, 1e-12)
    // 2.4469 and 0.9057 times 2.1602 / sqrt(7)
    assert.closeTo(low, 4 - 1.9979, 1e-3)
    assert.closeTo(high, 4 + 1.9979, 1e-3)
    assert.closeTo(detectable, 1.9979 + 0.7395, 1e-3)
  })

  it("is infinite for one number", () =>
    assert.deepStrictEqual(Interval.ofMean([3], 0.01), {
      middle: 3,
      low: -Infinity,
      high: Infinity,
      detectable: Infinity
    }))
})

describe("detectableMean", () => {
  const numbers = [1, 2, 3, 4, 5, 6, 7]

  it("is detected by the interval of as many numbers", () =>
    assert.closeTo(Interval.detectableMean(numbers, 7, 0.025), Interval.ofMean(numbers, 0.025).detectable, 1e-12))

  it("decreases with more numbers, and is infinite with fewer than two", () => {
    // (1.9842 + 0.8452) times 2.1602 / sqrt(100)
    assert.closeTo(Interval.detectableMean(numbers, 100, 0.025), 0.6112, 1e-3)
    assert.strictEqual(Interval.detectableMean(numbers, 1, 0.025), Infinity)
  })
})

describe("ofMean of the logarithms of ratios", () => {
  it("raises false alarms at its rate, even if each run has its own offset", () => {
    const alarms = share(4000, () => {
      const ratios = Array.from({ length: 7 }, () => 0.04 * normal())
      return Interval.ofMean(ratios, 0.01).low > 0
    })
    assert.isBelow(alarms, 0.016)
    assert.isAbove(alarms, 0.005)
  })

  it("detects its detectable change in about four of five cases", () => {
    const typical = Interval.ofMean(
      Array.from({ length: 7 }, (_, index) => 0.03 * (index - 3) * 0.46),
      0.01
    ).detectable
    const seen = share(2000, () => {
      const ratios = Array.from({ length: 7 }, () => typical + 0.03 * normal())
      return Interval.ofMean(ratios, 0.01).low > 0
    })
    assert.isAbove(seen, 0.65)
    assert.isBelow(seen, 0.92)
  })
})

describe("ofNextFigure", () => {
  it("contains the next figure at its rate", () => {
    const figure = () => 120 * Math.exp(0.05 * normal())
    const outside = share(4000, () => {
      const { high, low } = Interval.ofNextFigure(Array.from({ length: 9 }, figure), 0.01)
      const next = figure()
      return next < low || next > high
    })
    assert.isBelow(outside, 0.028)
    assert.isAbove(outside, 0.012)
  })

  it("is wider than the interval of the mean", () => {
    const figures = [100, 104, 98, 101, 103]
    const next = Interval.ofNextFigure(figures, 0.025)
    const mean = Interval.ofMean(figures.map(Math.log), 0.025)
    assert.isTrue(Math.log(next.low) < mean.low && Math.log(next.high) > mean.high)
  })
})
