import { assert, describe, it } from "vitest"
import {
  type DecodingRun,
  type GeneratorSample,
  type K6Report,
  markdown,
  perAnswer_ms
} from "../../src/load/K6Report.ts"

const sample = (perSecond: number, cpu_us: number): GeneratorSample => ({
  requests: perSecond * 3,
  perSecond,
  cpu_us,
  peak_MB: 60
})

const run = (cpu_s: number, decoded: number, peak_MB: number): DecodingRun => ({
  starts: 500,
  decoded,
  violations: 0,
  users: 20,
  cpu_s,
  peak_MB
})

const report: K6Report = {
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
  versions: { k6: "v2.2.0", stock: "v2.2.0", autocannon: "9.0.0" },
  users: 32,
  window_s: 3,
  generators: {
    stock: [sample(5000, 100), sample(2500, 100)],
    again: [sample(5000, 100), sample(2500, 100)],
    ours: [sample(4950, 101), sample(2475, 101)],
    csv: [sample(4500, 120), sample(2250, 120)],
    autocannon: [sample(10_000, 50), sample(5000, 50)]
  },
  decoding: [
    { share: 0, runs: [run(2, 0, 100), run(4, 0, 100)] },
    { share: 0.01, runs: [run(2.2, 12, 130), run(4.4, 12, 130)] },
    { share: 1, runs: [run(4, 1000, 240), run(6, 1000, 240)] }
  ]
}

describe("K6Report", () => {
  it("each is beside stock k6 of the same round, to a thousandth", () => {
    const text = markdown(report)
    assert.include(text, "| **our k6** v2.2.0 | 3,713 | 0.990 (0.990 to 0.990) | 101 | 1.010 (1.010 to 1.010) | 60 |")
    assert.include(text, "| stock k6 v2.2.0 | 3,750 | 1 | 100 | 1 | 60 |")
  })

  it("decoding is beside none of it, by start and by answer", () => {
    const text = markdown(report)
    assert.include(text, "| 0.01 | 500 | 12 | 6.60 | 1.1 (1.1 to 1.1) | 130 | 20 |")
    assert.include(text, "An answer that is decoded costs 2.00 ms")
    assert.strictEqual(perAnswer_ms(report.decoding), 2)
    assert.isUndefined(perAnswer_ms(report.decoding.slice(0, 2)))
  })
})
