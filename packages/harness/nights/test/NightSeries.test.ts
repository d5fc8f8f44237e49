import { assert, describe, it } from "@effect/vitest"
import { drawing } from "@webagent/statistics/Drawing"
import { type NightSeries, reachOf, shiftOf } from "../src/NightSeries.ts"

const next = drawing(20_261_123)
const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())

/** Logarithms of nights; the last is tonight, and all before it are a baseline. */
const seriesOf = (values: ReadonlyArray<number>, machines = values.map(() => 0)): NightSeries => ({
  values: {
    values,
    nights: [...values.keys()],
    isBaseline: values.map((_, index) => index < values.length - 1)
  },
  days: [...values.keys()],
  machines,
  usual: 0.04,
  least: 0.005,
  tolerated: Math.log1p(0.05),
  enough: 5,
  level: 0.01
})

const week = [0.05, -0.03, 0.02, 0, -0.04, 0.03, -0.03]

/** Nights that have a weekday, and follow the night before. */
const following = (count: number, spread: number) => {
  let state = 0
  return Array.from({ length: count }, (_, night) => {
    state = 0.6 * state + 0.8 * spread * normal()
    return (week[night % 7] ?? 0) + state + spread * normal()
  })
}

const shareOf = (runs: number, more: number) => {
  let found = 0
  for (let run = 0; run < runs; run++) {
    const values = following(50, 0.03)
    const verdict = shiftOf(seriesOf(values.with(49, (values[49] ?? 0) + more)))?.verdict
    if (verdict === "regressed") found++
  }
  return found / runs
}

describe("a figure's series of nights", () => {
  it("with autocorrelation and weekdays rarely regresses, and shows an increase by a fifth", () => {
    // five ways to look, at 1 % each
    assert.isAtMost(shareOf(300, 0), 0.05)
    assert.isAtLeast(shareOf(100, Math.log(1.2)), 0.85)
  })

  it("is compared by weekdays if these differ", () => {
    const values = Array.from({ length: 50 }, (_, night) => (week[night % 7] ?? 0) * 4 + 0.01 * normal())
    const verdictOf = (weekday: number) =>
      shiftOf(seriesOf([...values.slice(0, 42 + weekday), 4 * (week[0] ?? 0) + 0.01 * normal()]))?.verdict
    assert.isUndefined(verdictOf(0))
    assert.strictEqual(verdictOf(4), "regressed")
  })

  it("uses nights on another machine for the variation, but not for the level", () => {
    const former = following(40, 0.02)
    const here = [1.02, 0.97, 1, 1.01, 0.99].map((level) => level + 0.01 * normal())
    const machines = [...former.map(() => 1), ...here.map(() => 0), 0]
    const verdictOf = (tonight: number) => shiftOf(seriesOf([...former, ...here, tonight], machines))?.verdict
    assert.deepStrictEqual([verdictOf(1), verdictOf(1.3), verdictOf(0.7)], [undefined, "regressed", "improved"])
  })

  it("after an improvement starts again", () => {
    const values = Array.from({ length: 40 }, (_, night) => (night < 30 ? 0 : Math.log(0.8)) + 0.03 * normal())
    const found = shiftOf(seriesOf([...values, 0]))
    assert.deepStrictEqual([found?.verdict, found?.found.before.length], ["regressed", 10])
  })

  it("has a smallest detectable change from the second night on a new machine, even if all nights are equal", () => {
    const first = { ...seriesOf([0.1, 0.3]), enough: 1 }
    for (const level of [0.1, 0.2, 0.3, 0.7]) {
      const nights = [0, 0, 0, 0, 0, 0, level, level]
      const same = { ...seriesOf(nights, [...nights.slice(0, 6).map(() => 1), 0, 0]), enough: 1 }
      for (const { detectable, scale } of [reachOf(first), reachOf(same)]) {
        assert.isTrue(Number.isFinite(detectable) && detectable > Math.log1p(0.05), `${detectable}`)
        assert.isAbove(scale, 0)
      }
    }
  })

  it("has no smallest detectable change while there are too few nights", () => {
    assert.strictEqual(reachOf(seriesOf([0, 0, 0])).detectable, Infinity)
    assert.isUndefined(shiftOf(seriesOf([0, 0, 1])))
  })

  describe("with exact numbers", () => {
    const waved = (count: number, high = 0, more = 0) =>
      Array.from({ length: count }, (_, night) => 0.03 * Math.sin(night ** 2) + (night < high ? more : 0))
    const found = (series: NightSeries) => {
      const { found, verdict } = shiftOf(series) ?? {}
      return [verdict, found?.window, found?.before.length]
    }
    /** A chance of a half is significant, so that only the other rules decide. */
    const lenient = (values: ReadonlyArray<number>): NightSeries => ({ ...seriesOf(values), level: 0.5 })

    it("shows a shift and the variation despite a few outliers", () => {
      const values = waved(50).with(20, 0.1).with(21, 0.1).with(22, 0.1).with(27, 0.5).with(49, 0.2)
      const shift = shiftOf(seriesOf(values))?.found
      assert.deepStrictEqual([shift?.window, shift?.before.length], [1, 49])
      assert.closeTo(shift?.level ?? 0, -0.003_966_464_515, 1e-12)
      assert.closeTo(shift?.shift ?? 0, 0.205_028_538_350, 1e-11)
      assert.closeTo(Math.log(shift?.chance ?? 1), Math.log(4.126_314_519e-7), 1e-8)
      const { detectable, scale } = reachOf(seriesOf(values))
      assert.closeTo(scale, 0.037_556_009_492, 1e-11)
      assert.closeTo(detectable, 0.117_540_549_368, 1e-11)
    })

    it("detects a change of the tolerance if nights hardly vary, and only a larger one if they are assumed to vary", () => {
      const same = (least: number) => ({ ...seriesOf([...waved(30, 30, 0).map(() => 0), 0]), usual: 0.001, least })
      assert.closeTo(reachOf(same(0.005)).detectable, 0.053_184_078_137, 1e-11)
      assert.closeTo(reachOf(same(0.02)).detectable, 0.067_970_179_495, 1e-11)
    })

    it("counts the nights since an improvement within the last thirty", () => {
      const since = (size: number) => found(seriesOf([...waved(60, 60 - size, 0.3), 0.2]))[2]
      assert.deepStrictEqual([25, 29, 30, 35].map(since), [25, 29, 30, 30])
    })

    it("shows no shift if more than half of the earlier nights were as high", () => {
      const beside = (high: number) => found(lenient([...waved(60, high, 0.25), 0.2]))
      assert.deepStrictEqual(
        [beside(30), beside(31)],
        [
          ["regressed", 1, 60],
          ["regressed", 1, 29]
        ]
      )
    })

    it("shows no shift within the tolerance of all nights or those since an improvement", () => {
      const beside = (tonight: number) => found(lenient([...waved(60, 30, 0.25), tonight]))
      assert.deepStrictEqual(
        [beside(0.04), beside(0.1), beside(0.12)],
        [
          [undefined, undefined, undefined],
          ["regressed", 1, 30],
          ["regressed", 1, 60]
        ]
      )
    })

    it("shows no shift once the last night is good again", () => {
      const after = (tonight: number) => found(lenient([...waved(60, 30, -0.25), 0.3, 0.3, tonight]))
      assert.deepStrictEqual(
        [after(0.03), after(0.07)],
        [
          [undefined, undefined, undefined],
          ["regressed", 1, 60]
        ]
      )
    })
  })
})
