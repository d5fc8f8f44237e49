import type { DurationDistribution } from "@webagent/control"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Distribution from "../../src/behavior/Distribution.ts"

const seconds = Duration.seconds
const uniform: DurationDistribution = { uniform: { min: seconds(2), max: seconds(6) } }
const lognormal: DurationDistribution = { lognormal: { median: seconds(60), sigma: 1 } }
const pareto: DurationDistribution = { pareto: { min: seconds(1), alpha: 1.5, max: seconds(1000) } }

const count = 10_000
const drawn = (distribution: DurationDistribution) =>
  Array.from({ length: count }, (_, index) => Distribution.draw_ms(distribution, 1, `turn-${index}`, "duration"))

const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length
const quantile = (values: ReadonlyArray<number>, share: number) =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length * share)] ?? 0

/** Within a share of the expected value. */
const near = (actual: number, expected: number, share: number) =>
  assert.closeTo(actual, expected, expected * share, `${actual} is not within ${share} of ${expected}`)

describe("Distribution", () => {
  it("returns a fixed time in whole milliseconds", () => {
    assert.strictEqual(Distribution.draw_ms(seconds(3), 1, "any"), 3000)
    assert.strictEqual(Distribution.draw_ms(Duration.millis(1.6), 1, "any"), 2)
  })

  it("always draws these values for one seed and key", () => {
    assert.deepStrictEqual(
      [uniform, lognormal, pareto].map((distribution) => Distribution.draw_ms(distribution, 7, "turn", "duration")),
      [5728, 829_505, 6009]
    )
  })

  it("draws other values for another seed or key, and the same values in any order", () => {
    const first = Distribution.draw_ms(lognormal, 1, "a")
    const values = [Distribution.draw_ms(lognormal, 2, "a"), Distribution.draw_ms(lognormal, 1, "b"), first]
    assert.strictEqual(new Set(values).size, 3)
    assert.strictEqual(Distribution.draw_ms(lognormal, 1, "a"), first)
  })

  it("draws evenly between the bounds of uniform", () => {
    const values = drawn(uniform)
    assert.isTrue(values.every((value) => value >= 2000 && value <= 6000))
    near(mean(values), 4000, 0.02)
    near(quantile(values, 0.25), 3000, 0.03)
    near(quantile(values, 0.75), 5000, 0.03)
  })

  it("draws half of lognormal's values below the median, with a tail according to sigma", () => {
    const values = drawn(lognormal)
    assert.strictEqual(values.length, count)
    near(quantile(values, 0.5), 60_000, 0.04)
    near(quantile(values, 0.9), 60_000 * Math.exp(1.2816), 0.06)
    near(quantile(values, 0.1), 60_000 * Math.exp(-1.2816), 0.06)
    near(mean(values), 60_000 * Math.exp(0.5), 0.05)
  })

  it("draws pareto's values from its minimum, with a heavy tail up to its maximum", () => {
    const values = drawn(pareto)
    assert.isTrue(values.every((value) => value >= 1000 && value <= 1_000_000))
    near(quantile(values, 0.5), 1000 * 2 ** (1 / 1.5), 0.04)
    near(quantile(values, 0.99), 1000 * 100 ** (1 / 1.5), 0.2)
    const heavy = drawn({ pareto: { min: seconds(1), alpha: 0.5, max: seconds(10) } })
    near(heavy.filter((value) => value === 10_000).length / count, 10 ** -0.5, 0.05)
  })

  it("keeps lognormal's values below a given maximum", () => {
    const values = drawn({ lognormal: { median: seconds(60), sigma: 1, max: seconds(70) } })
    assert.strictEqual(Math.max(...values), 70_000)
  })

  it("limits an infinite tail to a hundred years, and keeps zero at zero", () => {
    const century = Duration.toMillis(Duration.days(36_500))
    const wild = (median: Duration.Duration) => drawn({ lognormal: { median, sigma: 1e4 } })
    assert.strictEqual(Math.max(...wild(seconds(1))), century)
    assert.deepStrictEqual([...new Set(wild(Duration.zero))], [0])
    assert.deepStrictEqual([...new Set(drawn({ pareto: { min: Duration.zero, alpha: 1e-4, max: seconds(1) } }))], [0])
  })
})
