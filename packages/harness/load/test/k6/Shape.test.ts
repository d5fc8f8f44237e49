import { assert, describe, it } from "@effect/vitest"
import { closedModel, openModel, scheduled, type Shape, shapes } from "../../k6/Shape.ts"

const duration_ms = 10_000
const rate = 20

/** The rate after some time, in starts a millisecond. */
const rateAt = (shape: Shape, time_ms: number): number => {
  let [begin_ms, from] = [0, shape.from]
  for (const { time, to } of shape.stages) {
    const stage_ms = time * duration_ms
    if (time_ms <= begin_ms + stage_ms) return (rate * (from + ((to - from) * (time_ms - begin_ms)) / stage_ms)) / 1000
    begin_ms += stage_ms
    from = to
  }
  return 0
}

describe("Shape", () => {
  for (const [name, shape] of Object.entries<Shape>(shapes)) {
    it(`${name}: its stages fill the time and reach the full rate, and never exceed it`, () => {
      assert.closeTo(
        shape.stages.reduce((sum, { time }) => sum + time, 0),
        1,
        1e-9
      )
      assert.strictEqual(Math.max(shape.from, ...shape.stages.map(({ to }) => to)), 1)
    })

    it(`${name}: a start is due when the area under the rate reaches it`, () => {
      const step_ms = 0.5
      let [area, index] = [0, 0]
      for (let time_ms = 0; time_ms < duration_ms; time_ms += step_ms) {
        area += rateAt(shape, time_ms + step_ms / 2) * step_ms
        for (; index + (name === "smoke" ? 0 : 1) < area; index++) {
          assert.closeTo(scheduled(shape, rate, duration_ms, index), time_ms, 3, `start ${index}`)
        }
      }
      assert.isAbove(index, 50)
    })
  }

  it("is an arrival rate per minute for the open model, so that rates needn't be whole", () => {
    const vus = { preAllocatedVUs: 3, maxVUs: 9, gracefulStop: "1s" }
    assert.deepStrictEqual(openModel(shapes.smoke, { ...vus, duration_ms, rate: 0.5 }), {
      executor: "constant-arrival-rate",
      rate: 30,
      duration: "10000ms",
      timeUnit: "1m",
      ...vus
    })
    assert.deepStrictEqual(openModel(shapes["average-load"], { ...vus, duration_ms, rate: 2 }), {
      executor: "ramping-arrival-rate",
      startRate: 0,
      stages: [
        { duration: "1000ms", target: 120 },
        { duration: "8000ms", target: 120 },
        { duration: "1000ms", target: 0 }
      ],
      timeUnit: "1m",
      ...vus
    })
  })

  it("is a number of users for the closed model, and at least one", () => {
    const options = { duration_ms, gracefulStop: "1s", vus: 3 }
    assert.deepInclude(closedModel(shapes.smoke, options), { executor: "constant-vus", vus: 3 })
    const spike = closedModel(shapes.spike, options)
    assert.deepInclude(spike, { executor: "ramping-vus", startVUs: 1 })
    assert.deepStrictEqual("stages" in spike ? spike.stages.map(({ target }) => target) : [], [1, 3, 3, 1, 1])
  })
})
