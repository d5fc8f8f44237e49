import { assert, describe, it } from "@effect/vitest"
import * as LoadReport from "../src/LoadReport.ts"
import { plain } from "@webagent/cli/Style"
import { measurementsOf } from "./measurements.ts"

const counter = (count: number) => ({ type: "counter", contains: "default", values: { count } })

const breakpoint: LoadReport.LoadReport = {
  tool: { name: "webagent-harness", version: "0", k6: "2" },
  test: "breakpoint",
  target: { name: "x", address: "http://127.0.0.1:1", simulated: true },
  startedAt: "2026-11-21T00:00:00Z",
  rate: 200,
  duration_ms: 120_000,
  settings: { segments: 1 },
  took_ms: 36_000,
  verdict: "failed",
  thresholds: [{ name: "http_req_failed", limit: "< 1 %", measured: "5.00 %", ok: false }],
  measurements: measurementsOf(1),
  metrics: { iterations: counter(700), dropped_iterations: counter(50) }
}
const last = (more: Partial<LoadReport.LoadReport> = {}) =>
  LoadReport.ending({ ...breakpoint, ...more }, plain).at(-1) ?? ""

describe("ending", () => {
  it("says the rate of the breakpoint: 750 of 12,000 starts are a quarter of the time, and of the rate", () =>
    assert.strictEqual(last(), "breakpoint at about 50 starts a second"))

  it("says with which statuses requests failed", () =>
    assert.strictEqual(
      last({ failed_requests: [{ status: "401", requests: 7 }] }),
      "failed requests by status: 401 (7)"
    ))

  for (const [what, more] of [
    ["another test", { test: "smoke" }],
    ["one that went to its end", { took_ms: 121_000 }],
    ["one that was stopped", { verdict: "stopped" }],
    ["a closed model", { settings: { segments: 1, vus: 3 } }]
  ] as const) {
    it(`says nothing of that of ${what}`, () => assert.strictEqual(last(more), ""))
  }

  it("says in the last line what happened, the baseline with it", () => {
    const lastOf = (verdict: LoadReport.LoadReport["verdict"], ...worse: ReadonlyArray<string>) =>
      LoadReport.lastLine({ ...breakpoint, verdict }, worse, plain).split(" · ")[0]
    assert.deepStrictEqual(
      [lastOf("passed"), lastOf("passed", "request p95"), lastOf("failed", "request p95"), lastOf("stopped")],
      ["passed", "worse: request p95", "failed: http_req_failed", "stopped"]
    )
  })

  it("shows the latencies of all requests and of the time to terminal", () => {
    const lines = LoadReport.ending(breakpoint, plain)
    const at = lines.findIndex((line) => line.startsWith("latency"))
    assert.deepStrictEqual(lines.slice(at, at + 3), [
      "latency           count  p50     p95     p99     max",
      "all requests      200    4 ms    8 ms    12 ms   36 ms",
      "time to terminal  200    200 ms  400 ms  600 ms  1.8 s"
    ])
  })
})
