import { assert, describe, it } from "vitest"
import { between } from "../../src/measure/Report.ts"
import type { Measured, Sample } from "../../src/simulated/Measurement.ts"
import { costRatio, markdown, type Report } from "../../src/simulated/Report.ts"
import { heading } from "../measure/heading.ts"

const sample = (cpu_us: number): Sample => ({ requests: 1000, perSecond: 1000, cpu_us, p50_ms: 1, p99_ms: 2 })

const measured = (name: string, ...costs: ReadonlyArray<number>): Measured => ({
  name,
  starts: [210, 190, 200].map((took_ms) => ({ took_ms, cpu_s: took_ms / 2000 })),
  samples: { status: costs.map(sample) },
  rssBefore_MB: 60,
  rssAfter_MB: 90.4,
  served: 12_345,
  stalls: name === "fastify" ? 2 : 0
})

const report: Report = {
  ...heading,
  pinning: "server on core 0, load on core 1",
  settings: { rounds: 3, window_s: 2, warmup_s: 1, starts: 3, connections: 32, liveRuns: 0, settle_s: 0 },
  base: "fastify",
  rows: [
    { name: "ours", title: "ours", remark: "", result: measured("ours", 40, 44, 36) },
    { name: "fastify", title: "Fastify", remark: "by hand", result: measured("fastify", 20, 22, 18) },
    { name: "wiremock", title: "WireMock", remark: "", result: { skipped: "there is no Java here" } }
  ]
}

describe("Report", () => {
  it("compares a cost with the base's, with its interval", () => {
    assert.include(markdown(report), "| ours | 40 | 2 (2 to 2) | 1 | 1,000 |")
    assert.include(markdown(report), "| Fastify | 20 | 1 | 0.5 (0.5 to 0.5) | 1,000 |")
    assert.include(
      markdown(report),
      "- Fastify: by hand; 2 of its windows went by without any answer, and were taken again"
    )
  })

  it("compares with another version of ours", () => {
    const before = { name: "before", title: "ours, 0123abc", remark: "", result: measured("before", 80, 88, 72) }
    const text = markdown({ ...report, rows: [...report.rows.slice(0, 1), before, ...report.rows.slice(1)] })
    assert.include(text, "| CPU µs a request | ÷ Fastify | ÷ ours | ÷ ours, 0123abc |")
    assert.include(text, "| ours | 40 | 2 (2 to 2) | 1 | 0.5 (0.5 to 0.5) | 1,000 |")
    assert.include(text, "| ours, 0123abc | 80 | 4 (4 to 4) | 2 (2 to 2) | 1 | 1,000 |")
  })

  it("gives the reason for missing measurements, without a ratio", () => {
    assert.include(markdown(report), "- not measured: WireMock: there is no Java here")
    assert.isUndefined(costRatio(report, "wiremock", "fastify", "status"))
    assert.isUndefined(costRatio(report, "ours", "fastify", "flow"))
  })

  it("shows starts in seconds and memory in MB", () => {
    assert.include(markdown(report), "| ours | 0.20 | 0.10 | 60 | 90 | 12,345 | – | – | – |")
  })

  it("replaces only the text between the markers", () => {
    const page = "before\n<!-- bench:simulated -->\nold\n<!-- /bench:simulated -->\nafter\n"
    const once = between(page, "simulated", "new")
    assert.strictEqual(once, "before\n<!-- bench:simulated -->\n\nnew\n\n<!-- /bench:simulated -->\nafter\n")
    assert.strictEqual(between(once, "simulated", "new"), once)
  })

  it("names the markers that a page needs", () => {
    assert.throws(() => between("nothing", "simulated", "new"), /add <!-- bench:simulated -->/u)
  })
})
