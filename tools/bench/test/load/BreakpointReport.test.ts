import { assert, describe, it } from "vitest"
import { type BreakpointReport, cpuRatio, markdown } from "../../src/load/BreakpointReport.ts"
import { climbOf, type Limits, type Step } from "../../src/load/Ladder.ts"

const limits: Limits = { p95_ms: 100, failed: 0.01, dropped: 0.01 }

const step = (rate: number, cpu_us: number, over: Partial<Step> = {}): Step => ({
  rate,
  requests: rate * 30,
  perSecond: rate * 5,
  p50_ms: 1,
  p95_ms: 20,
  p99_ms: 30.4,
  failed: 0,
  lost: 0,
  dropped: 0,
  cpu_us,
  loop: 0.5,
  k6: 0.25,
  ...over
})

const broken = { p95_ms: 900, loop: 0.99 }

const report: BreakpointReport = {
  bench: "breakpoint",
  date: "2026-01-01",
  fingerprint: {
    cpu: "a processor",
    cores: 2,
    memory_GB: 8,
    node: "24.0.0",
    platform: "linux-x64",
    loadBefore: 0.1,
    loadAfter: 1.9
  },
  pinning: "server on core 0, load on core 1",
  versions: { k6: "v2.2.0", fastify: "5.0.0" },
  limits,
  step_s: 6,
  climbs: {
    ours: [
      climbOf([step(60, 200), step(75, 180), step(94, 380, broken)], limits),
      climbOf([step(60, 220), step(75, 190, broken)], limits)
    ],
    fastify: [
      climbOf([step(60, 100), step(75, 90), step(94, 95)], limits),
      climbOf([step(60, 110), step(75, 95), step(94, 95, { dropped: 0.5, k6: 0.97 })], limits)
    ]
  }
}

describe("BreakpointReport", () => {
  it("CPU is compared where both carry the rate, in the same round", () => {
    // 200/100, 180/90, 220/110; what broke is left out
    assert.deepStrictEqual(cpuRatio(report.climbs, limits), { ratio: 2, low: 2, high: 2 })
  })

  it("says the highest rates, their ratio, and what gave first", () => {
    const text = markdown(report)
    assert.include(text, "| highest rate carried, starts/s, by round | 75, 60 | 94, 75 | 0.8 (0.8 to 0.8) |")
    assert.include(text, "p95 (the server's event loop): 2 of 2")
    assert.include(text, "nothing, at the highest rate: 1 of 2; starts dropped (k6's core): 1 of 2")
    assert.include(text, "about 5.0 requests a start")
  })

  it("shows the curve, and marks what was not carried in how many rounds", () => {
    const text = markdown(report)
    assert.include(text, "| 60 | 1.0 / 20 / 30 | 50 % | 25 % | 210 | 1.0 / 20 / 30 | 50 % | 25 % | 105 |")
    assert.include(text, "| 75 | 1.0 / 460 / 30 ✗ 1 of 2 | 75 % | 25 % | 185 |")
    assert.include(text, "| 94 | 1.0 / 900 / 30 ✗ | 99 % | 25 % | 380 | 1.0 / 20 / 30 ✗ 1 of 2 |")
  })
})
