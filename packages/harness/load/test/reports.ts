import * as AbComparison from "../src/AbComparison.ts"
import type { AbReport } from "../src/AbReport.ts"
import type { LoadReport } from "../src/LoadReport.ts"
import * as Points from "../src/Points.ts"
import { measurementsOf, normals } from "./measurements.ts"

/** A comparison of a service with one that takes `factor` times as long. */
export const comparison = (factor: number, more: Partial<AbReport> = {}): AbReport => {
  const normal = normals(3)
  const pairs = Array.from({ length: 7 }, (_, index) => ({
    order: index % 2 === 0 ? ("AB" as const) : ("BA" as const),
    a: measurementsOf(Math.exp(0.02 * normal())),
    b: measurementsOf(factor * Math.exp(0.02 * normal()))
  }))
  const rows = AbComparison.of(pairs, { tolerance: 0.05 })
  return {
    tool: { name: "webagent-harness", version: "0.0.0", k6: "2.2.0" },
    test: "average-load",
    a: { name: "webagent-server", address: "http://127.0.0.1:4400", simulated: true },
    b: { name: "http://127.0.0.1:4401", address: "http://127.0.0.1:4401", simulated: false },
    startedAt: "2026-01-02T03:04:05.678Z",
    rate: 20,
    duration_ms: 5000,
    seed: 4,
    tolerance: 0.05,
    pairs,
    rows,
    verdict: AbComparison.conclusionOf(rows),
    ...more
  }
}

/** A load test that failed, of a service that refused some of it. */
export const failedLoad: LoadReport = {
  tool: { name: "webagent-harness", version: "0.0.0", k6: "2.2.0" },
  test: "average-load",
  target: { name: "simulated service", address: "http://127.0.0.1:4400", simulated: true },
  startedAt: "2026-01-02T03:04:05.678Z",
  rate: 20,
  duration_ms: 5000,
  settings: { segments: 2, mix: "runs=4,browsers=2,status=8,queue=1,v3=2,v2=1" },
  took_ms: 5400,
  verdict: "failed",
  thresholds: [
    { name: "contract_violations", limit: "= 0", measured: "0", ok: true },
    { name: "http_req_failed", limit: "< 1 %", measured: "5.00 %", ok: false }
  ],
  measurements: measurementsOf(1, { errors: 0.05, operations: { "v4.createRun": measurementsOf(1).requests } }),
  failed_requests: [
    { status: "503", requests: 1200 },
    { status: "0", requests: 3 }
  ],
  metrics: {}
}

/** What it measured in five seconds. */
export const points = (): Points.Points => {
  const points = Points.make()
  points.take("metric_name,timestamp,metric_value,name,scenario,status,expected_response")
  for (let at_ms = 0; at_ms < 5000; at_ms += 50) {
    const tags = "v4.createRun,average-load,200,true"
    const at = 1_700_000_000_000 + at_ms
    points.take(`http_reqs,${at},1,${tags}`)
    points.take(`http_req_duration,${at},${4 + (at_ms % 700) / 9},${tags}`)
    points.take(`time_to_terminal,${at},${200 + (at_ms % 900)},${tags}`)
  }
  return points
}
