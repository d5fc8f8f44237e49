import { assert, describe, it } from "@effect/vitest"
import * as Pace from "../../src/reporters/Pace.ts"
import { night, trial } from "./fixture.ts"

const paceOf = (limits: typeof night.header.limits) => {
  const pace = Pace.start({ ...night.header, limits, suites: [{ name: "checkout", scenarios: 104 }] }, 1000)
  for (let index = 0; index < 41; index++) {
    Pace.add(pace, trial({ cost_usd: "0.03", requests: 20 }))
    pace.scenarios++
  }
  return pace
}

describe("Pace", () => {
  it("shows a run's progress, its usage, and the remaining time at that pace", () => {
    assert.strictEqual(Pace.line(paceOf({}), 131_000), "41 of 104 scenarios · 2 min 10 s · 1.23 USD · about 3 min left")
  })

  it("shows how much of each limit is used", () => {
    const pace = paceOf({ time_ms: 600_000, cost_usd: "10.00", requests: 5000 })
    Pace.add(pace, trial({ reruns: night.results[2]?.trials[0]?.reruns ?? [] }))
    assert.strictEqual(
      Pace.line(pace, 21_000),
      "41 of 104 scenarios · 20 s of 10 min · 1.23 of 10.00 USD · 822 of 5,000 requests · 1 rerun · about 31 s left"
    )
  })

  it("makes no estimate from too little data, or at the end", () => {
    const pace = Pace.start(night.header, 0)
    assert.isUndefined(Pace.left_ms(pace, 60_000))
    pace.scenarios = 3
    assert.isUndefined(Pace.left_ms(pace, 1999))
    assert.strictEqual(Pace.left_ms(pace, 3000), 6000)
    pace.scenarios = 9
    assert.isUndefined(Pace.left_ms(pace, 3000))
  })
})
