import { assert, describe, it } from "@effect/vitest"
import type { Metric } from "../src/K6Summary.ts"
import * as Threshold from "../src/Threshold.ts"
import { plain } from "@webagent/cli/Style"

const thresholdsOf = (metrics: Readonly<Record<string, Metric>>) =>
  Threshold.all({ state: { testRunDurationMs: 1 }, metrics })

const counter = (count: number, thresholds: NonNullable<Metric["thresholds"]>): Metric => ({
  type: "counter",
  contains: "default",
  values: { count },
  thresholds
})

const metrics: Readonly<Record<string, Metric>> = {
  time_to_terminal: {
    type: "trend",
    contains: "time",
    values: { "p(95)": 1314.2, med: 4.06 },
    thresholds: { "p(95)<3000": { ok: true }, "med<50": { ok: true } }
  },
  http_req_failed: {
    type: "rate",
    contains: "default",
    values: { rate: 0.0512 },
    thresholds: { "rate<0.01": { ok: false } }
  },
  browsers_leaked: counter(1200, { "count==0": { ok: false } }),
  iterations: { type: "counter", contains: "default", values: { count: 3 } }
}

describe("all", () => {
  it("lists each limit with its measured value and unit, by name", () => {
    assert.deepStrictEqual(thresholdsOf(metrics), [
      { name: "browsers_leaked", limit: "= 0", measured: "1,200", ok: false },
      { name: "http_req_failed", limit: "< 1 %", measured: "5.12 %", ok: false },
      { name: "time_to_terminal med", limit: "< 50 ms", measured: "4.1 ms", ok: true },
      { name: "time_to_terminal p(95)", limit: "< 3 s", measured: "1.31 s", ok: true }
    ])
  })

  it("shows 0 for a metric without a sample", () => {
    const none = { ...counter(0, { "count>0": { ok: false } }), values: {} }
    assert.deepStrictEqual(thresholdsOf({ runs_completed: none }), [
      { name: "runs_completed", limit: "> 0", measured: "0", ok: false }
    ])
  })
})

describe("a limit on what was never measured", () => {
  const limited = (type: string, values: Metric["values"], expression: string) =>
    thresholdsOf({ m: { type, contains: "time", values, thresholds: { [expression]: { ok: true } } } }).map(
      ({ measured, ok }) => [measured, ok]
    )

  it("is crossed, so that a misspelled name is noticed", () => {
    assert.deepStrictEqual(limited("trend", { "p(95)": 0, count: 0 }, "p(95)<1"), [["nothing", false]])
    assert.deepStrictEqual(limited("rate", { rate: 0, passes: 0, fails: 0 }, "rate<0.1"), [["nothing", false]])
    assert.deepStrictEqual(limited("rate", { rate: 0, passes: 0, fails: 9 }, "rate<0.1"), [["0 %", true]])
    assert.deepStrictEqual(limited("counter", { count: 0 }, "count<1"), [["0 ms", true]])
  })
})

describe("table", () => {
  it("aligns its columns, and shows each result in words", () => {
    assert.deepStrictEqual(Threshold.table(thresholdsOf(metrics).slice(1, 3), plain), [
      "threshold             limit    measured  result",
      "http_req_failed       < 1 %    5.12 %    FAILED",
      "time_to_terminal med  < 50 ms  4.1 ms    ok"
    ])
  })
})
