import type { LoadComparison, LoadComparisonSummary, LoadDetail, LoadSummary } from "@webagent/harness-api"
import * as AbComparison from "@webagent/load/AbComparison"
import { day_ms, newest_ms, randomOf } from "./Facts.ts"

const distributionOf = (factor: number) => ({
  count: 1820,
  p50: 21 * factor,
  p95: 118 * factor,
  p99: 310 * factor,
  max: 902 * factor
})

/** A load test of some nights ago. Its times are `factor` times those of the newest one. */
const loadOf = (
  run: string,
  ago: number,
  factor: number
): { readonly summary: LoadSummary; readonly detail: LoadDetail } => {
  const distribution = distributionOf(factor)
  const random = randomOf(3)
  const line = (base: number) => Array.from({ length: 60 }, () => base * (0.8 + random() * 0.5))
  const report: LoadDetail["report"] = {
    tool: { name: "webagent-harness", version: "0.1.0", k6: "1.2.0" },
    test: "smoke",
    target: { name: "staging", address: "https://agents.example.com", simulated: false },
    startedAt: new Date(newest_ms - ago * day_ms).toISOString(),
    rate: 5,
    duration_ms: 60_000,
    settings: { segments: 1 },
    took_ms: 64_000,
    verdict: "failed",
    thresholds: [
      { name: "checks", limit: "≥ 99 %", measured: "100 %", ok: true },
      { name: "http_req_duration p(95)", limit: "≤ 100 ms", measured: "118 ms", ok: false }
    ],
    measurements: {
      throughput: 30.2,
      errors: 0.0012,
      requests: distribution,
      operations: { "v4.createRun": distribution, "v4.getRunStatus": { ...distribution, p95: 44 } },
      time_to_terminal: { ...distribution, p50: 1800, p95: 3100, p99: 4000, max: 6000 }
    },
    metrics: {}
  }
  const summary: LoadSummary = {
    run,
    test: "smoke",
    startedAt: report.startedAt,
    verdict: "failed",
    target: report.target,
    rate: 5,
    duration_ms: 60_000,
    took_ms: 64_000,
    throughput: 30.2,
    errors: 0.0012,
    requests: distribution,
    crossed: ["http_req_duration p(95)"]
  }
  const quantiles = { p50: line(20), p95: line(110), p99: line(300) }
  return {
    summary,
    detail: {
      report,
      series: {
        step_ms: 1000,
        requests: line(30),
        errors: line(0.001),
        dropped: line(0).map(() => 0),
        operations: [{ name: "all", ms: quantiles }],
        time_to_terminal: quantiles,
        detection_delay: quantiles
      },
      baseline: {
        runs: 12,
        rows: [
          { name: "request p95", now: "118 ms", low: "80 ms", high: "104 ms", verdict: "worse" },
          { name: "throughput", now: "30.2 / s", low: "29.8 / s", high: "30.6 / s", verdict: "no difference seen" }
        ],
        leftOut: [["other settings", 2]]
      }
    }
  }
}

const tolerance = 0.1

const target = (port: number) => ({
  name: `http://127.0.0.1:${port}`,
  address: `http://127.0.0.1:${port}`,
  simulated: false
})

const finite = (value: number) => (Number.isFinite(value) ? value : null)

const comparisonOf = (
  pairs: ReadonlyArray<AbComparison.Pair>,
  sides: Pick<LoadComparison, "a" | "b" | "differences">
): LoadComparison => {
  const rows = AbComparison.of(pairs, { tolerance })
  return {
    test: "smoke",
    ...sides,
    pairs: pairs.length,
    tolerance,
    rows: rows.map((row) => ({
      ...row,
      low: finite(row.low),
      high: finite(row.high),
      detectable: finite(row.detectable)
    })),
    verdict: AbComparison.conclusionOf(rows)
  }
}

/** Two load tests, and a comparison of two services in seven pairs, in which B is slower. */
export const loadsOf = () => {
  const [newest, before] = [loadOf("load-1", 0, 1), loadOf("load-0", 1, 0.7)]
  const random = randomOf(5)
  const measured = (factor: number) => loadOf("pair", 0, factor * (0.98 + random() * 0.04)).detail.report.measurements
  const pairs = Array.from({ length: 7 }, () => ({ a: measured(1), b: measured(1.4) }))
  const side = ({ detail: { report }, summary: { run } }: ReturnType<typeof loadOf>) => ({
    run,
    target: report.target,
    startedAt: report.startedAt,
    verdict: report.verdict,
    thresholds: report.thresholds
  })
  const startedAt = new Date(newest_ms).toISOString()
  const service = (port: number) => ({ run: null, target: target(port), startedAt, verdict: null, thresholds: [] })
  const services = comparisonOf(pairs, { a: service(4400), b: service(4401), differences: [] })
  const summary: LoadComparisonSummary = {
    run: "ab-1",
    test: "smoke",
    startedAt,
    a: services.a.target,
    b: services.b.target,
    pairs: services.pairs,
    verdict: services.verdict
  }
  const tests = [newest, before]
  return {
    summaries: tests.map((one) => one.summary),
    detailOf: (run: string) => tests.find((one) => one.summary.run === run)?.detail,
    comparisons: [summary],
    services,
    compare: (run: string, earlier: string): LoadComparison | undefined => {
      const [b, a] = [run, earlier].map((name) => tests.find((one) => one.summary.run === name))
      if (a === undefined || b === undefined) return undefined
      const pair = { a: a.detail.report.measurements, b: b.detail.report.measurements }
      return comparisonOf([pair], { a: side(a), b: side(b), differences: ["rate 5, was 4"] })
    }
  }
}
