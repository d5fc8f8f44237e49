import { assert, describe, it } from "@effect/vitest"
import * as Breakpoint from "../src/Breakpoint.ts"
import * as Points from "../src/Points.ts"

const header = "metric_name,timestamp,metric_value,error,expected_response,name,scenario,status,extra_tags"
const duration_ms = 40_000
const rate = 200
const limits = {
  http_req_duration: { thresholds: { "p(95)<500": { ok: false } } },
  http_req_failed: { thresholds: { "rate<0.01": { ok: true } } },
  time_to_terminal: { thresholds: { "p(95)<3000": { ok: true } } },
  dropped_iterations: { thresholds: { "count==0": { ok: true } } },
  runs_completed: { thresholds: { "count>0": { ok: true } } }
}

interface Behavior {
  readonly request_ms?: number
  readonly run_ms?: number
  readonly failed?: boolean
  readonly dropped?: boolean
}

/** A load that grows to 200 starts per second, 5 s after the first point; `behave` is what a start at a rate meets. */
const ramp = (behave: (rate: number) => Behavior, until_ms = duration_ms) => {
  const points = Points.make()
  const row = (metric: string, at_ms: number, value: number, scenario = "breakpoint") =>
    points.take(`${metric},${1_700_000_000_000 + Math.round(at_ms)},${value},,true,v4.createRun,${scenario},200,`)
  points.take(header)
  for (const at_ms of [0, 5000]) row("http_reqs", at_ms, 1, "")
  for (let start = 1; ; start++) {
    const due_ms = Math.sqrt((2 * start * 1000 * duration_ms) / rate)
    if (due_ms >= until_ms) return points
    const { dropped, failed, request_ms = 10, run_ms = 200 } = behave((rate * due_ms) / duration_ms)
    if (dropped === true) {
      row("dropped_iterations", 5000 + due_ms, 1)
      continue
    }
    row("http_req_duration", 5000 + due_ms + request_ms, request_ms)
    row("http_req_failed", 5000 + due_ms + request_ms, failed === true ? 1 : 0)
    row("time_to_terminal", 5000 + due_ms + run_ms, run_ms)
  }
}

const of = (points: Points.Points) => Breakpoint.of(points, { duration_ms, rate }, limits)

describe("Breakpoint.of", () => {
  it("finds the rate at which requests become slow, even if most of the test was fast", () => {
    const { broke, p95_ms, rate } = of(ramp((rate) => ({ request_ms: rate < 120 ? 10 : 900 })))
    assert.deepStrictEqual([rate, p95_ms], [120, 10])
    assert.deepStrictEqual(broke, { name: "http_req_duration p(95)", limit: "< 500 ms", measured: "900 ms" })
  })

  it("finds a backlog, in which requests are fast and work takes longer and longer", () => {
    const { broke, rate } = of(ramp((rate) => ({ run_ms: rate < 100 ? 200 : 200 + 200 * (rate - 100) })))
    assert.strictEqual(broke?.name, "time_to_terminal p(95)")
    // 14 more than it carries are late by 3 s
    assert.closeTo(rate, 110, 5)
  })

  it("claims nothing if requests before the load crossed the limit", () => {
    const failing = { http_req_failed: { values: { rate: 0.45 }, thresholds: { "rate<0.01": { ok: false } } } }
    const { broke, rate } = Breakpoint.of(
      ramp(() => ({}), 1000),
      { duration_ms, rate: 200 },
      failing
    )
    assert.deepStrictEqual([rate, broke?.name, broke?.measured], [0, "http_req_failed rate", "45 %"])
  })

  it("finds failed requests and dropped starts", () => {
    const failing = of(ramp((rate) => ({ failed: rate > 150 })))
    assert.deepStrictEqual([failing.rate, failing.broke?.name], [150, "http_req_failed rate"])
    const dropping = of(ramp((rate) => ({ dropped: rate > 50 })))
    assert.deepStrictEqual([dropping.rate, dropping.broke?.name], [50, "dropped_iterations count"])
  })

  it("ignores a single slow request, and reports the highest rate if nothing broke", () => {
    let isFirst = true
    const slowOnce = (rate: number) => {
      const isSlow = isFirst && rate > 60
      if (isSlow) isFirst = false
      return { request_ms: isSlow ? 900 : 10 }
    }
    assert.deepStrictEqual(of(ramp(slowOnce)), { rate: 200, p95_ms: 10, broke: null })
    assert.deepStrictEqual(of(ramp(() => ({}), duration_ms / 2)), { rate: 100, p95_ms: 10, broke: null })
  })

  it("reports a service that carries nothing", () => {
    const { broke, rate } = of(ramp(() => ({ request_ms: 900 })))
    assert.deepStrictEqual([rate, broke?.measured], [0, "900 ms"])
    assert.deepStrictEqual(of(Points.make()), { rate: 0, p95_ms: null, broke: null })
  })
})
