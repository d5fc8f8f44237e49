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
  it("keeps points by metric and tags, wherever the columns stand, and nothing of any other line", () => {
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

  it("knows that the load begins when the setup has ended, and not before there is a point of it", () => {
    const setup = [0, 9000].map((at_ms) => `http_reqs,${1_700_000_000_000 + at_ms},1,,true,v4.createRun,,201,`)
    const before = pointsOf(setup)
    assert.isUndefined(before.begun_ms())
    for (const line of [row("http_reqs", 9700, 1), row("http_reqs", 9900, 1), ...setup]) before.take(line)
    assert.strictEqual(before.begun_ms(), 1_700_000_009_000)
    assert.strictEqual(pointsOf([row("http_reqs", 300, 1)]).begun_ms(), 1_700_000_000_300)
  })

  it("keeps more than a first handful", () => {
    const points = pointsOf(Array.from({ length: 1000 }, (_, index) => row("http_reqs", index, 1)))
    assert.strictEqual(points.sum("http_reqs"), 1000)
    assert.strictEqual(points.last_ms(), 999)
  })
})

describe("TimeSeries.of", () => {
  it("has a figure for each second, and none where nothing was measured", () => {
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

  it("is of the same size however long it was", () => {
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

  it("counts as unfinished what did not end as expected", () => {
    const ends = [1, 1, 0, 1].map((completed) => row("runs_completed", 0, completed))
    assert.strictEqual(Measurements.of(pointsOf([...ends, row("browsers_stopped", 0, 0)])).unfinished, 2 / 5)
  })
})

describe("Progress.measurements", () => {
  it("says how much, how fast and how well, of the last ten seconds where it is about now", () => {
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

  it("the percentile of all points is neither the mean nor the greater of those of the parts", () => {
    const whole = quantile(sorted([...fast, ...slow]), 0.95)
    assert.closeTo(merged.metrics["http_req_duration"]?.values["p(95)"] ?? 0, whole, 1e-6)
    assert.isBelow(whole, 2)
    const ofOperation = merged.metrics["http_req_duration{name:v4.getRunStatus}"]?.values
    assert.deepInclude(ofOperation, { count: 102, max: 400 })
  })

  it("adds up what was counted, and judges every limit anew", () => {
    assert.deepStrictEqual(merged.metrics["runs_completed"]?.values, { count: 7, rate: 7 })
    assert.deepStrictEqual(merged.metrics["runs_completed"]?.thresholds, { "count>0": { ok: true } })
    assert.deepStrictEqual(merged.metrics["http_req_duration"]?.thresholds, { "p(95)<150": { ok: true } })
    assert.deepStrictEqual(merged.metrics["checks"]?.values, { passes: 102, fails: 7, rate: 102 / 109 })
    assert.strictEqual(merged.state.testRunDurationMs, 1099)
  })

  it("a limit that a process has ended the test by stays crossed", () => {
    const parts = [summaryOf(fast, 7), summaryOf(slow, 0)]
    const ended = SummaryMerge.merge(parts, points, parts.slice(1))
    assert.deepStrictEqual(ended.metrics["http_req_duration"]?.thresholds, { "p(95)<150": { ok: false } })
    const other = SummaryMerge.merge(parts, points, parts.slice(0, 1))
    assert.deepStrictEqual(other.metrics["http_req_duration"]?.thresholds, { "p(95)<150": { ok: true } })
  })

  it("judges what figures alone cannot say by each part, where there is a limit", () => {
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

  it("takes no percentile of some points for that of all", () => {
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

  it("leaves out what figures alone cannot say", () => {
    assert.notProperty(merged.metrics, "http_req_waiting")
    assert.notProperty(merged.metrics, "http_req_duration{url:x}")
  })
})
