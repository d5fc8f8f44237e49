import { drawing } from "@webagent/statistics/Drawing"
import { assert, describe, it } from "vitest"
import { blocksOf, type Point, trendOf } from "../../src/soak/Trend.ts"

/** A value every 10 s for 18 minutes: a slope, and noise that keeps a share of the moment before. */
const series = (perHour: number, keeps: number, draw: () => number): ReadonlyArray<Point> => {
  const normal = () => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())
  let noise = normal()
  return Array.from({ length: 108 }, (_, index) => {
    noise = keeps * noise + Math.sqrt(1 - keeps ** 2) * normal()
    return { at_s: index * 10, value: 100 + (perHour * index * 10) / 3600 + noise }
  })
}

const misses = (keeps: number): number => {
  const draw = drawing(7)
  const times = 1000
  const missed = Array.from({ length: times }, () => trendOf(series(12, keeps, draw), 60)).filter(
    (trend) => trend === undefined || trend.low > 12 || trend.high < 12
  )
  return missed.length / times
}

describe("Trend", () => {
  it("returns a straight line's slope without uncertainty", () => {
    const trend = trendOf(
      Array.from({ length: 60 }, (_, index) => ({ at_s: 5 + index * 10, value: 50 + index })),
      60
    )
    assert.strictEqual(trend?.blocks, 10)
    assert.approximately(trend?.perHour ?? 0, 360, 1e-9)
    assert.approximately(trend?.low ?? 0, 360, 1e-6)
    assert.approximately(trend?.high ?? 0, 360, 1e-6)
    assert.approximately(trend?.mean ?? 0, 79.5, 1e-9)
  })

  it("groups points by time, even with gaps", () => {
    assert.deepStrictEqual(
      blocksOf(
        [
          { at_s: 100, value: 1 },
          { at_s: 140, value: 3 },
          { at_s: 150, value: 900 },
          { at_s: 230, value: 5 }
        ],
        60
      ),
      [
        { at_s: 130, value: 3 },
        { at_s: 230, value: 5 }
      ]
    )
  })

  it("returns no slope for too few blocks", () => {
    assert.isUndefined(trendOf([], 60))
    assert.isUndefined(trendOf(series(1, 0, drawing(1)).slice(0, 30), 60))
  })

  it("misses one slope in twenty, and few more for autocorrelated moments", () => {
    assert.isAtMost(misses(0), 0.07)
    assert.isAtMost(misses(0.7), 0.08)
    assert.isAtMost(misses(0.9), 0.12)
  })
})
