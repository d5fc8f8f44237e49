import { assert, describe, it } from "@effect/vitest"
import { errorsOf } from "../src/Findings.ts"
import * as Outages from "../src/Outages.ts"
import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import type { Failure, Trial } from "@webagent/report/Trial"
import { reportOf, trialOf as trial } from "./reports.ts"

const second = 1000
const minute = 60 * second

const failure = (status: number | null, path = "/api/v4/runs", duration_ms = 2): Failure => ({
  kind: "error",
  message: "UnexpectedStatus",
  request: { method: "POST", path, status, duration_ms }
})

const away = (ended_ms: number, status: number | null = 503, path?: string): Trial =>
  trial({ verdict: "infra", started_ms: ended_ms - second, duration_ms: second, failure: failure(status, path) })
const passed = (started_ms: number, duration_ms = second): Trial => trial({ started_ms, duration_ms })

const of = (...scenarios: ReadonlyArray<ReadonlyArray<Trial>>): RunReport => ({
  ...reportOf([]),
  results: scenarios.map((trials, index): ScenarioResult => ({
    suite: "shop",
    name: `scenario ${index}`,
    tags: [],
    needs: [],
    verdict: trials.every(({ verdict }) => verdict === "infra") ? "infra" : "passed",
    started_ms: 0,
    duration_ms: 0,
    checks: 1,
    cost_usd: "0",
    trials
  }))
})

const told = (report: RunReport) =>
  Outages.of(report)
    .map(Outages.tollOf)
    .map(({ from, operations, reruns, trials, until }) => ({
      span: [from, until].map((time) => time?.slice(11, 23)),
      toll: [trials, reruns],
      requests: operations.map(({ cause: { facts }, count }) =>
        facts._tag === "Request" ? [facts.method, facts.path, facts.status, count] : [facts]
      )
    }))

describe("Outages", () => {
  it("merge forty trials of eight scenarios in one burst, with its time, requests and count", () => {
    const scenarios = Array.from({ length: 8 }, (_, index) =>
      Array.from({ length: 5 }, (_, at) => away(10 * second + 500 * (8 * at + index), at === 4 ? null : 503))
    )
    assert.deepStrictEqual(told(of(...scenarios)), [
      {
        span: ["09:12:54.121", "09:13:13.623"],
        toll: [40, 0],
        requests: [
          ["POST", "/api/v4/runs", 503, 32],
          ["POST", "/api/v4/runs", null, 8]
        ]
      }
    ])
    const [finding, ...others] = errorsOf(of(...scenarios))
    assert.deepStrictEqual([finding?.scenarios.length, others], [8, []])
  })

  it("start with the first failed request", () => {
    const slow = { ...away(40 * second), failure: failure(504, "/api/v4/runs", 30 * second), duration_ms: 35 * second }
    const [outage] = Outages.of(of([{ ...slow, started_ms: 5 * second }]))
    assert.strictEqual((outage?.to_ms ?? 0) - (outage?.from_ms ?? 0), 30 * second)
  })

  it("are separated by a passed trial and a minute, but not by silence alone", () => {
    const twice = [away(10 * second), away(5 * minute)]
    assert.lengthOf(told(of(twice)), 1)
    assert.lengthOf(told(of(twice, [passed(2 * minute)])), 2)
    // it began before the first of them was over, and says nothing of what came between
    assert.lengthOf(told(of(twice, [passed(5 * second, 4 * minute)])), 1)
    // in a burst some requests get through
    assert.lengthOf(told(of([away(10 * second), away(50 * second)], [passed(20 * second)])), 1)
    const findings = errorsOf(of([away(10 * second)], [away(11 * second)], [away(5 * minute)], [passed(2 * minute)]))
    assert.deepStrictEqual(
      findings.map(({ scenarios }) => scenarios.length),
      [2, 1]
    )
  })

  it("don't include a rate limit", () => {
    assert.deepStrictEqual(
      told(of([away(second, 429)], [away(second, 503)])).map(({ requests }) => requests),
      [[["POST", "/api/v4/runs", 429, 1]], [["POST", "/api/v4/runs", 503, 1]]]
    )
  })

  it("count repeated attempts separately, even if all passed in the end", () => {
    const rerun = { started_ms: 0, duration_ms: 5, failure: failure(503) }
    const report = of([trial({ reruns: [rerun, rerun] })], [trial({ reruns: [rerun] })])
    assert.deepStrictEqual(
      told(report).map(({ requests, toll }) => [toll, requests]),
      [[[0, 3], [["POST", "/api/v4/runs", 503, 3]]]]
    )
    assert.deepStrictEqual(errorsOf(report), [])
  })

  it("measure a shard's time from its own start, and a resumed run's time without its pause", () => {
    const report = of([away(10 * second)], [away(10 * second)])
    const startedAt = "2026-11-21T10:00:00.000Z"
    const shard = { of: 2, duration_ms: minute, interrupted: false }
    const resumed = [{ at: "2026-11-21T12:00:00.000Z", kept: 0, after_ms: 5 * second }]
    const shards = [
      { ...shard, index: 1, startedAt },
      { ...shard, index: 2, startedAt, resumed }
    ]
    const results = report.results.map((result, index) => ({ ...result, shard: index + 1 }))
    const served = of([passed(15 * second)]).results.map((result) => ({ ...result, shard: 1 }))
    assert.deepStrictEqual(
      told({ ...report, shards, results: [...results, ...served] }).map(({ span: [from] }) => from?.slice(0, 8)),
      ["10:00:09", "12:00:04"]
    )
  })
})
