import { assert, describe, it } from "@effect/vitest"
import * as Measurements from "../src/Measurements.ts"
import * as Progress from "../src/Progress.ts"
import type { K6Summary } from "../src/K6Summary.ts"
import * as SummaryMerge from "../src/SummaryMerge.ts"
import * as Points from "../src/Points.ts"
import * as TimeSeries from "../src/TimeSeries.ts"
import { quantile, sorted } from "@webagent/statistics/Quantile"

const header = "metric_name,timestamp,metric_value,error,expected_response,name,scenario,status,extra_tags"
const row = (metric: string, at_ms: number, value: number, name = "v4.getRunStatus", status = "200") =>
  `${metric},${1_700_000_000_000 + at_ms},${value.toFixed(6)},,true,${name},runs,${status},`

const request = (at_ms: number, took_ms: number, name?: string) => [
  row("http_reqs", at_ms, 1, name),
  row("http_req_duration", at_ms, took_ms, name),
  row("http_req_failed", at_ms, took_ms > 900 ? 1 : 0, name)
]

const pointsOf = (lines: ReadonlyArray<string>, most?: number) => {
  const points = Points.make(most)
  for (const line of [header, ...lines]) points.take(line)
  return points
}

describe("take", () => {
  it("keeps points by metric and tags, in any order of columns, and ignores other lines", () => {
    const points = pointsOf([
      ...request(0, 4),
      ...request(1500, 8, "v4.createRun"),
      row("http_req_waiting", 10, 3),
      "some,thing a script,said",
      "",
      '"time_to_terminal",x,y',
      `time_to_terminal,1700000001000,250,"dial tcp: ""no"", really",true,,runs,,`
    ])
    assert.deepStrictEqual([...points.values("http_req_duration")], [4, 8])
    assert.deepStrictEqual([...points.values("http_req_duration", { name: "v4.createRun" })], [8])
    assert.deepStrictEqual([...points.values("time_to_terminal", { scenario: "runs" })], [250])
    assert.deepStrictEqual(points.select("http_req_waiting"), [])
    assert.deepStrictEqual([points.last_ms(), points.lost()], [1500, 0])
  })

  it("starts the load with its first point after the setup", () => {
    const setup = [0, 9000].map((at_ms) => `http_reqs,${1_700_000_000_000 + at_ms},1,,true,v4.createRun,,201,`)
    const before = pointsOf(setup)
    assert.isUndefined(before.begun_ms())
    for (const line of [row("http_reqs", 9700, 1), row("http_reqs", 9900, 1), ...setup]) before.take(line)
    assert.strictEqual(before.begun_ms(), 1_700_000_009_000)
    assert.strictEqual(pointsOf([row("http_reqs", 300, 1)]).begun_ms(), 1_700_000_000_300)
  })

  it("keeps more points than its first capacity", () => {
    const points = pointsOf(Array.from({ length: 1000 }, (_, index) => row("http_reqs", index, 1)))
    assert.strictEqual(points.sum("http_reqs"), 1000)
    assert.strictEqual(points.last_ms(), 999)
  })
})

describe("TimeSeries.of", () => {
  it("has a value for each second, and null without measurements", () => {
    const points = pointsOf([...request(0, 10), ...request(500, 20), ...request(2999, 1000, "v4.createRun")])
    const series = TimeSeries.of(points)
    assert.deepInclude(series, { step_ms: 1000, requests: [2, 0, 1], errors: [0, null, 1], dropped: [0, 0, 0] })
    assert.deepStrictEqual(
      series.operations.map(({ name, ms }) => [name, ms.p50]),
      [
        ["all requests", [15, null, 1000]],
        ["v4.createRun", [null, null, 1000]],
        ["v4.getRunStatus", [15, null, null]]
      ]
    )
  })

  it("has the same size however long the load was", () => {
    assert.deepStrictEqual(
      [1, 240, 241, 20 * 60, 86_400].map((length_s) => TimeSeries.stepOf(length_s * 1000) / 1000),
      [1, 1, 2, 5, 600]
    )
  })
})

describe("Measurements.of", () => {
  it("counts successful requests over the time, and failed ones as a share", () => {
    const measurements = Measurements.of(pointsOf([...request(0, 10), ...request(500, 20), ...request(2000, 1000)]))
    assert.strictEqual(measurements.throughput, 1)
    assert.closeTo(measurements.errors, 1 / 3, 1e-12)
    assert.deepInclude(measurements.requests, { count: 3, p50: 20, max: 1000 })
    assert.notProperty(measurements, "time_to_terminal")
    assert.notProperty(measurements, "unfinished")
  })

  it("counts work that didn't end as expected as unfinished", () => {
    const ends = [1, 1, 0, 1].map((completed) => row("runs_completed", 0, completed))
    assert.strictEqual(Measurements.of(pointsOf([...ends, row("browsers_stopped", 0, 0)])).unfinished, 2 / 5)
  })
})

describe("Progress.measurements", () => {
  it("shows totals, and rates and percentiles of the last ten seconds", () => {
    const points = pointsOf([
      ...request(0, 5000, "v4.createRun"),
      ...request(19_000, 12, "v4.createRun"),
      ...request(19_500, 4),
      row("time_to_terminal", 20_000, 1310),
      row("dropped_iterations", 20_000, 1)
    ])
    assert.strictEqual(
      Progress.measurements(points),
      "requests 3   0/s   p95 create 12 ms  status 4 ms  to terminal 1.31 s   dropped 1   errors 33.3 %"
    )
    assert.strictEqual(Progress.measurements(pointsOf([])), "")
  })
})

describe("SummaryMerge.merge", () => {
  const fast = Array.from({ length: 99 }, (_, index) => 1 + index / 100)
  const slow = [200, 300, 400]
  const summaryOf = (times: ReadonlyArray<number>, completed: number): K6Summary => {
    const numbers = sorted(times)
    const figures = { "p(95)": quantile(numbers, 0.95), max: Math.max(...times), count: times.length }
    const trend = { type: "trend", contains: "time", values: figures }
    return {
      state: { testRunDurationMs: 1000 + times.length },
      metrics: {
        http_req_duration: { ...trend, thresholds: { "p(95)<150": { ok: figures["p(95)"] < 150 } } },
        "http_req_duration{name:v4.getRunStatus}": trend,
        "http_req_duration{url:x}": trend,
        http_req_waiting: trend,
        runs_completed: {
          type: "counter",
          contains: "default",
          values: { count: completed, rate: completed },
          thresholds: { "count>0": { ok: completed > 0 } }
        },
        checks: {
          type: "rate",
          contains: "default",
          values: { passes: times.length, fails: completed, rate: 0.5 }
        }
      }
    }
  }
  const points = pointsOf([...fast, ...slow].flatMap((took_ms, index) => request(index, took_ms)))
  const merged = SummaryMerge.merge([summaryOf(fast, 7), summaryOf(slow, 0)], points)

  it("computes a percentile of all points, not from those of the parts", () => {
    const whole = quantile(sorted([...fast, ...slow]), 0.95)
    assert.closeTo(merged.metrics["http_req_duration"]?.values["p(95)"] ?? 0, whole, 1e-6)
    assert.isBelow(whole, 2)
    const ofOperation = merged.metrics["http_req_duration{name:v4.getRunStatus}"]?.values
    assert.deepInclude(ofOperation, { count: 102, max: 400 })
  })

  it("adds up counters, and judges every limit again", () => {
    assert.deepStrictEqual(merged.metrics["runs_completed"]?.values, { count: 7, rate: 7 })
    assert.deepStrictEqual(merged.metrics["runs_completed"]?.thresholds, { "count>0": { ok: true } })
    assert.deepStrictEqual(merged.metrics["http_req_duration"]?.thresholds, { "p(95)<150": { ok: true } })
    assert.deepStrictEqual(merged.metrics["checks"]?.values, { passes: 102, fails: 7, rate: 102 / 109 })
    assert.strictEqual(merged.state.testRunDurationMs, 1099)
  })

  it("keeps a limit crossed that ended the test in one process", () => {
    const parts = [summaryOf(fast, 7), summaryOf(slow, 0)]
    const ended = SummaryMerge.merge(parts, points, parts.slice(1))
    assert.deepStrictEqual(ended.metrics["http_req_duration"]?.thresholds, { "p(95)<150": { ok: false } })
    const other = SummaryMerge.merge(parts, points, parts.slice(0, 1))
    assert.deepStrictEqual(other.metrics["http_req_duration"]?.thresholds, { "p(95)<150": { ok: true } })
  })

  it("judges a limit on a metric without points by the largest value of the parts", () => {
    const limited = (p95: number): K6Summary => ({
      state: { testRunDurationMs: 1 },
      metrics: {
        http_req_waiting: {
          type: "trend",
          contains: "time",
          values: { "p(95)": p95 },
          thresholds: { "p(95)<150": { ok: p95 < 150 }, "p(95)>1": { ok: true } }
        }
      }
    })
    const judged = (...times: ReadonlyArray<number>) =>
      SummaryMerge.merge(times.map(limited), points).metrics["http_req_waiting"]
    assert.deepInclude(judged(100, 200, 120), {
      values: { "p(95)": 200 },
      thresholds: { "p(95)<150": { ok: false }, "p(95)>1": { ok: true } }
    })
    assert.deepStrictEqual(judged(100, 120)?.thresholds?.["p(95)<150"], { ok: true })
  })

  it("keeps the largest percentile of the parts if points are missing", () => {
    const some = pointsOf(
      fast.flatMap((took_ms, index) => request(index, took_ms)),
      30
    )
    assert.strictEqual(some.lost(), 3 * 99 - 30)
    const parts = [summaryOf(fast, 7), summaryOf(slow, 0)]
    assert.deepStrictEqual(
      SummaryMerge.merge(parts, some).metrics["http_req_duration"],
      parts[1]?.metrics["http_req_duration"]
    )
  })

  it("leaves out metrics without points or limits", () => {
    assert.notProperty(merged.metrics, "http_req_waiting")
    assert.notProperty(merged.metrics, "http_req_duration{url:x}")
  })
})
