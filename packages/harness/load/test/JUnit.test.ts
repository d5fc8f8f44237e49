import { assert, describe, it } from "@effect/vitest"
import type { BaselineComparison } from "../src/Baseline.ts"
import * as JUnit from "../src/JUnit.ts"
import type { LoadReport } from "../src/LoadReport.ts"
import { measurementsOf } from "./measurements.ts"

const report: LoadReport = {
  tool: { name: "webagent-harness", version: "0", k6: "2" },
  test: "smoke",
  target: { name: "x", address: "http://127.0.0.1:1", simulated: true },
  startedAt: "2026-11-21T00:00:00Z",
  rate: 5,
  duration_ms: 5000,
  settings: { segments: 1 },
  took_ms: 5400,
  verdict: "passed",
  thresholds: [{ name: "checks", limit: "> 99 %", measured: "100.00 %", ok: true }],
  measurements: measurementsOf(1),
  metrics: {}
}
const row = (verdict: "worse" | "better") => ({
  name: "request p95",
  now: "18 ms",
  low: "13 ms",
  high: "14 ms",
  detectable: 1.05,
  verdict
})
const judgement: BaselineComparison = {
  runs: 5,
  rows: [row("worse"), { ...row("better"), name: "request p50" }],
  leftOut: []
}

/** How many testcases the document says that it has, by how they ended. */
const numbers = (xml: string) =>
  /<testsuites [^>]*(tests="\d+" failures="\d+" errors="\d+" skipped="\d+")/u.exec(xml)?.[1]

describe("JUnit", () => {
  it("has a test case for each threshold, and one for the end", () => {
    const xml = JUnit.render(report)
    assert.strictEqual(numbers(xml), 'tests="2" failures="0" errors="0" skipped="0"')
    assert.include(xml, '<testcase name="runs to its end" classname="load.smoke" time="0.000"/>')
    assert.include(xml, '<testcase name="checks &gt; 99 %" ')
  })

  it("fails for a load that was stopped, whatever its thresholds", () => {
    const xml = JUnit.render({ ...report, verdict: "stopped" })
    assert.strictEqual(numbers(xml), 'tests="2" failures="0" errors="1" skipped="0"')
    assert.include(xml, '<error message="stopped before its end; the other results are of a part" type="stopped"/>')
  })

  it("names the metric that is worse than its baseline", () => {
    const xml = JUnit.render(report, judgement)
    assert.strictEqual(numbers(xml), 'tests="4" failures="1" errors="0" skipped="0"')
    assert.include(
      xml,
      '<testcase name="request p95 is no worse than its baseline" classname="load.smoke" time="0.000"><failure message="request p95 was 18 ms, baseline 13 ms to 14 ms" type="baseline"/>'
    )
  })

  it("skips a baseline with too few runs, with the reason", () => {
    const xml = JUnit.render(report, { runs: 2, rows: [], leftOut: [["other settings", 3]] })
    assert.strictEqual(numbers(xml), 'tests="3" failures="0" errors="0" skipped="1"')
    assert.include(xml, '<skipped message="2 of 5 runs needed (3 left out: other settings)"/>')
  })

  it("reports the reason for a missing result, and k6's last lines", () => {
    const xml = JUnit.failed(report, "k6 failed: a signal killed it", ["boom <1>", "bang"])
    assert.strictEqual(numbers(xml), 'tests="1" failures="0" errors="1" skipped="0"')
    assert.include(xml, '<error message="k6 failed: a signal killed it" type="k6"/>')
    assert.include(xml, "<system-out>boom &lt;1&gt;\nbang</system-out>")
  })
})
