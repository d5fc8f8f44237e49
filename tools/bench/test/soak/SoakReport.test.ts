import { assert, describe, it } from "vitest"
import {
  laterHalf,
  markdown,
  type Moment,
  perWork_kB,
  plateau,
  pointsOf,
  rowsOf,
  type SoakReport
} from "../../src/soak/SoakReport.ts"
import { heading } from "../measure/heading.ts"

const duration_ms = 1_200_000
const step_ms = 10_000

/** A figure for each ten seconds; the first and last minute are those in which the load goes up and down. */
const line = (of: (minute: number) => number) =>
  Array.from({ length: 120 }, (_, index) => (index < 6 || index > 113 ? 1000 : of((index + 0.5) / 6)))

const percentiles = (of: (minute: number) => number) => ({
  p50: line(of),
  p95: line((at) => 2 * of(at)),
  p99: line(of)
})

const moments: ReadonlyArray<Moment> = Array.from({ length: 120 }, (_, index) => ({
  at_s: index * 10,
  rss_MB: 100 + index / 6,
  cpu_s: index,
  loadAverage: index / 10,
  ...(index % 3 === 0 ? { heap_MB: 50 + index / 12 } : {})
}))

const count = (value: number) => ({ type: "counter", contains: "default", values: { count: value } })

const soak: SoakReport = {
  ...heading,
  journalRows: 20_000,
  moments,
  report: {
    rate: 10,
    duration_ms,
    verdict: "passed",
    measurements: {
      throughput: 30,
      errors: 0,
      requests: { count: 36_000, p50: 1, p95: 2, p99: 3, max: 4 },
      operations: {}
    },
    metrics: { runs_completed: count(5700), http_reqs: count(36_000), browsers_leaked: count(2) }
  },
  series: {
    step_ms,
    operations: [{ name: "all requests", ms: percentiles((minute) => 10 + minute / 60) }],
    time_to_terminal: percentiles(() => 300)
  },
  findings: { verdicts: { "browsers-left-open": 3 }, browsersOpen: 4, turnsOpen: 5 }
}

describe("SoakReport", () => {
  it("the time in which the load goes up and down is left out", () => {
    assert.deepStrictEqual(plateau({ duration_ms }), { from_s: 72, to_s: 1140 })
    assert.deepStrictEqual(laterHalf({ from_s: 72, to_s: 1140 }), { from_s: 606, to_s: 1140 })
  })

  it("a stretch without a figure is no point, and the others keep their time", () => {
    assert.deepStrictEqual(pointsOf([1, null, 3], step_ms), [
      { at_s: 5, value: 1 },
      { at_s: 25, value: 3 }
    ])
  })

  it("memory grows by MB an hour, times by their share", () => {
    const text = markdown(soak)
    assert.include(text, "| memory of the process (RSS) | 110 MB | +60 MB (+60 to +60) | +60 MB (+60 to +60) |")
    assert.include(text, "| heap after a collection | 55.1 MB | +30 MB (+30 to +30) | +30 MB (+30 to +30) |")
    assert.include(text, "| CPU of the server, of a core | 10 % | +0.0 % (+0.0 to +0.0)")
    // from 10 ms, by 1 ms an hour
    assert.match(text, /\| request p50 \| 10\.2 ms \| \+9\.8 % \(\+9\.8 to \+9\.8\)/u)
    assert.match(text, /\| time to terminal p95 \| 600 ms \| \+0\.0 %/u)
  })

  it("says how busy the machine was", () => {
    assert.include(markdown(soak), "load average 6.0 in the middle, from 0.0 to 11.9;")
  })

  it("what grows is also told by piece of work", () => {
    // 30 MB an hour, and 18,000 pieces an hour at full height
    assert.approximately(perWork_kB(soak) ?? 0, (30 * 1024) / 18_000, 1e-6)
  })

  it("the server's own word stands beside the load test's", () => {
    const text = markdown(soak)
    assert.include(text, "| browsers leaked, says the load test | 2 |")
    assert.include(text, "| browsers left open, says the server's oracle | 3 |")
    assert.include(text, "| browsers open, says the server's list | 4 |")
    assert.include(text, "| runs that go on, says the server | 5 |")
  })

  it("a soak too short for slopes says so by a dash", () => {
    const short = { ...soak, moments: moments.slice(0, 6), report: { ...soak.report, duration_ms: 60_000 } }
    assert.isTrue(rowsOf(short).every(({ all, later }) => all === undefined && later === undefined))
    assert.include(markdown(short), "| memory of the process (RSS) | – | – | – |")
  })
})
