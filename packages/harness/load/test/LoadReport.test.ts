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
  it("shows the load that the service carries, the latency, and the broken limit", () => {
    const broke = { name: "http_req_duration p(95)", limit: "< 500 ms", measured: "812 ms" }
    const trend = { ...counter(0), thresholds: { "p(95)<500": { ok: false } } }
    const metrics = { ...breakpoint.metrics, http_req_duration: trend }
    assert.strictEqual(
      last({ breakpoint: { rate: 62, p95_ms: 41, broke }, metrics }),
      "carries about 62 starts per second with p95 under 500 ms; beyond that, http_req_duration p(95) is 812 ms, not < 500 ms"
    )
    assert.strictEqual(
      last({ breakpoint: { rate: 0, p95_ms: null, broke }, metrics }),
      "carries none of the load: http_req_duration p(95) is 812 ms, not < 500 ms"
    )
    // without a limit on the latency it says the measured one
    assert.strictEqual(
      last({ breakpoint: { rate: 200, p95_ms: 41, broke: null } }),
      "carries at least 200 starts per second with p95 of 41 ms, the most that was sent. To find the breakpoint, send more: --rate 400"
    )
    // more load would not help a test that ended for another reason
    assert.strictEqual(
      last({ breakpoint: { rate: 100, p95_ms: 41, broke: null } }),
      "carries at least 100 starts per second with p95 of 41 ms; the test was to reach 200, and ended early"
    )
  })

  it("shows the statuses of failed requests", () =>
    assert.strictEqual(
      last({ failed_requests: [{ status: "401", requests: 7 }] }),
      "failed requests by status: 401 (7)"
    ))

  it("shows the result in the last line, with the baseline", () => {
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
