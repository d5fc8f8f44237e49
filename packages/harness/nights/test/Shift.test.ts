import { assert, describe, it } from "@effect/vitest"
import * as StudentT from "@webagent/statistics/StudentT"
import * as Shift from "../src/Shift.ts"

const alike = new Float64Array(31).fill(1)
const weighing = { scale: 0.01, freedom: 20, between: alike, tolerated: 0.05, enough: 5 }

/** The windows beside baselines of nights near 0 that tell their place by a millionth each, and this much more tonight. */
const shiftsOf = (past: number, tonight: number) => {
  const values = [...Array.from({ length: past }, (_, night) => night / 1e6), tonight]
  const nights = [...values.keys()]
  return Shift.shiftsOf({ values, nights, isBaseline: nights.map((night) => night < past) }, weighing, 1)
}

describe("a window compared with a baseline", () => {
  it("varies like a mean and a median of independent nights", () => {
    for (const [window, before] of [
      [1, 7],
      [3, 7],
      [8, 30]
    ] as const) {
      assert.closeTo(Shift.variance(alike, window, before, "month"), 1 / window + 1.5 / before, 1e-12)
    }
  })

  it("varies more against the first month, by the variation of distant nights", () => {
    const far = Float64Array.from(alike, (one, lag) => (lag === 30 ? 4 : one))
    assert.closeTo(Shift.variance(far, 1, 5, "month"), 1 + 1.5 / 5, 1e-12)
    assert.closeTo(Shift.variance(far, 1, 5, "reference"), 1 + 1.5 / 5 + 2 * (4 - 1), 1e-12)
  })

  it("uses the last week, the last month and, after six weeks, the first month", () => {
    const found = (past: number) =>
      shiftsOf(past, 1).flatMap(({ baseline, before, window }) =>
        window === 1 ? [[baseline, Math.round((before[0] ?? 0) * 1e6), before.length]] : []
      )
    assert.deepStrictEqual(found(60), [
      ["month", 30, 30],
      ["lately", 53, 7],
      ["reference", 0, 30]
    ])
    assert.deepStrictEqual(
      [13, 14, 44, 45].map((past) => found(past).length),
      [1, 2, 2, 3]
    )
    const ofEight = shiftsOf(60, 1).filter(({ window }) => window === 8)
    assert.notInclude(
      ofEight.map(({ baseline }) => baseline),
      "lately"
    )
  })

  it("shows no shift within the tolerance, which doubles against the first month", () => {
    const chances = (tonight: number) =>
      Object.fromEntries(
        shiftsOf(60, tonight).flatMap(({ baseline, chance, window }) => (window === 1 ? [[baseline, chance < 1]] : []))
      )
    assert.deepStrictEqual(chances(0.08), { month: true, lately: true })
    assert.deepStrictEqual(chances(0.11), { month: true, lately: true, reference: true })
  })

  it("shows four of five shifts of the smallest detectable size", () => {
    const quantiles = StudentT.quantile(0.999, 20) + StudentT.quantile(0.8, 20)
    const error = 0.05 * Math.sqrt(1 + 1.5 / 30)
    assert.closeTo(Shift.detectable({ ...weighing, scale: 0.05 }, 30, 0.001), quantiles * error, 1e-9)
    const few = 0.001 * Math.sqrt(1 + 1.5 / 5)
    const reach = 0.05 + StudentT.quantile(0.8, 20) * few
    assert.closeTo(Shift.detectable({ ...weighing, scale: 0.001 }, 5, 0.001), reach, 1e-9)
  })
})
