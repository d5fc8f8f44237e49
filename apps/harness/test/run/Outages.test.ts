import { assert, describe, it } from "@effect/vitest"
import { check, scenario, Suite } from "@webagent/scenario"
import { statusOf } from "@webagent/report/Finding"
import { ofReport } from "@webagent/nights/Night"
import { isTimed } from "@webagent/report/Trial"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { TestClock } from "effect/testing"
import { ExchangeListener } from "../../src/observe/ExchangeListener.ts"
import { TrialLog } from "../../src/observe/TrialLog.ts"
import { refused, status as failedWith } from "./errors.ts"
import { run, type StageOptions } from "./stage.ts"

const second = 1000
const minute = 60 * second

/** A time in which the service is away, in milliseconds of the night, and what it answers then: nothing by default. */
interface Planted {
  readonly from_ms: number
  readonly to_ms: number
  readonly status?: number
  /** Only requests to this path fail. */
  readonly path?: string
}

const awayAt = (planted: ReadonlyArray<Planted>, at_ms: number, path?: string) =>
  planted.find((one) => one.from_ms <= at_ms && at_ms < one.to_ms && (one.path === undefined || one.path === path))

/** One request, as the observed client shows it to the harness. */
const ask = Effect.fnUntraced(function* (planted: ReadonlyArray<Planted>, path: string) {
  const log = yield* TrialLog
  const listener = yield* ExchangeListener
  const at_ms = yield* Clock.currentTimeMillis
  const away = awayAt(planted, at_ms, path)
  const status = away === undefined ? 200 : away.status
  log.requests++
  log.lastExchange = { method: "GET", path, status: status ?? null, duration_ms: 0 }
  listener?.(
    {
      request: HttpClientRequest.get(`http://nowhere.test${path}`),
      span: undefined,
      at_ms,
      headersAt_ms: undefined,
      endedAt_ms: at_ms,
      status,
      headers: undefined,
      body: undefined,
      failure: status === undefined ? "ECONNREFUSED" : undefined
    },
    log
  )
  if (away !== undefined) return yield* Effect.fail(status === undefined ? refused : failedWith(status))
})

/** Ten scenarios of five trials; a trial takes ten seconds and asks each second, so a night takes four minutes. */
const suiteOf = (planted: ReadonlyArray<Planted>) =>
  Suite.make(
    "shop",
    Array.from({ length: 10 }, (_, index) =>
      scenario(`s${index}`, { trials: 5 }, function* () {
        const path = index === 0 ? "/orders" : "/runs"
        for (let step = 0; step < 10; step++) {
          yield* Effect.sleep(second)
          yield* ask(planted, path)
        }
        yield* check.isTrue(true, "it came to its end")
      })
    )
  )

const night = Effect.fnUntraced(function* (planted: ReadonlyArray<Planted>, limits: StageOptions["limits"] = {}) {
  yield* TestClock.setTime(0)
  const probes: Array<number> = []
  const running = yield* Effect.forkChild(
    run([suiteOf(planted)], {
      concurrency: 2,
      timeout: Duration.minutes(60),
      limits: { reruns: 5, outage_ms: 30 * minute, ...limits },
      probe: Effect.map(Clock.currentTimeMillis, (at_ms) => {
        probes.push(at_ms)
        const away = awayAt(planted, at_ms)
        return away && (away.status === undefined ? "connection refused" : `HTTP ${away.status}`)
      })
    })
  )
  yield* TestClock.adjust("3 hours")
  const { report } = yield* Fiber.join(running)
  const trials = report.results.flatMap(({ trials }) => trials)
  const count = (verdict: string) => trials.filter((trial) => trial.verdict === verdict).length
  const outages = (report.outages ?? []).map(({ from, to, why }) => ({
    from_ms: Date.parse(from),
    to_ms: to === null ? null : Date.parse(to),
    why
  }))
  return { report, trials, count, outages, probes, status: statusOf(report.findings ?? []) }
})

describe("an outage in the middle of a night", () => {
  for (const [name, length_ms, isError] of [
    ["of 1 s", second, false],
    ["of 30 s", 30 * second, false],
    ["of 10 min", 10 * minute, true]
  ] as const) {
    it.effect(`${name} costs no trial: the others wait, and interrupted ones run again`, () =>
      Effect.gen(function* () {
        const from_ms = 60.5 * second
        const { count, outages, probes, report, trials } = yield* night([{ from_ms, to_ms: from_ms + length_ms }])
        assert.deepStrictEqual([count("passed"), trials.length], [50, 50])
        const [outage, ...others] = outages
        assert.deepStrictEqual(others, [])
        assert.closeTo(outage?.from_ms ?? 0, from_ms, second)
        // it looks at least every quarter of a minute
        assert.isAtLeast((outage?.to_ms ?? 0) - from_ms, length_ms)
        assert.isAtMost((outage?.to_ms ?? 0) - from_ms - length_ms, 16 * second)
        assert.isAtMost(probes.length, 8 + length_ms / (15 * second))
        // nothing began meanwhile, and only the two that ran were run again
        const began = trials.filter(
          ({ started_ms }) => started_ms > (outage?.from_ms ?? 0) && started_ms < (outage?.to_ms ?? 0)
        )
        assert.deepStrictEqual(began, [])
        const met = trials.filter(({ reruns }) => reruns.length > 0)
        assert.isAtMost(met.length, 2)
        // none took longer because of it
        const timed = trials.filter(isTimed)
        assert.isTrue(timed.every(({ duration_ms }) => duration_ms === 10 * second))
        const counted = ofReport(report).scenarios.reduce((sum, { durations }) => sum + (durations?.count ?? 0), 0)
        assert.strictEqual(counted, timed.length)
        const [first] = report.findings ?? []
        assert.deepStrictEqual([first?.kind._tag, first?.severity === "error"], ["ServiceAway", isError])
      })
    )
  }

  it.effect("is reported separately from a second one, each with its times", () =>
    Effect.gen(function* () {
      const planted = [
        { from_ms: 30.5 * second, to_ms: 50 * second },
        { from_ms: 3 * minute, to_ms: 6 * minute }
      ]
      const { count, outages, report, status } = yield* night(planted)
      assert.strictEqual(count("passed"), 50)
      assert.lengthOf(outages, 2)
      for (const [index, { from_ms, to_ms }] of planted.entries()) {
        assert.closeTo(outages[index]?.from_ms ?? 0, from_ms, second)
        assert.closeTo(outages[index]?.to_ms ?? 0, to_ms, 16 * second)
      }
      assert.strictEqual(status, "failed")
      assert.lengthOf(report.findings?.filter(({ kind }) => kind._tag === "ServiceAway") ?? [], 2)
    })
  )

  it.effect("delays the last trials, which then finish, if it is at the very end", () =>
    Effect.gen(function* () {
      const { count, outages } = yield* night([{ from_ms: 249.5 * second, to_ms: 265 * second }])
      assert.deepStrictEqual([count("passed"), outages.length], [50, 1])
    })
  )

  it.effect("makes the run wait up to its limit, and then partial, if it never ends", () =>
    Effect.gen(function* () {
      const { count, outages, report } = yield* night([{ from_ms: 2 * minute, to_ms: Infinity }], {
        outage_ms: 10 * minute
      })
      assert.strictEqual(outages[0]?.to_ms, null)
      assert.isAtMost(report.duration_ms, 13 * minute)
      assert.isAtMost(count("infra") + count("failed"), 2)
      assert.deepStrictEqual(ofReport(report).partial, { _tag: "ServiceAway", isWhole: false })
      const [first] = report.findings ?? []
      assert.deepStrictEqual([first?.kind._tag, first?.severity], ["ServiceAway", "error"])
    })
  )

  it.effect("delays the night at most up to its time limit", () =>
    Effect.gen(function* () {
      const planted = [{ from_ms: 2 * minute, to_ms: Infinity }]
      const { report } = yield* night(planted, { time_ms: 5 * minute })
      assert.isAtMost(report.duration_ms, 5 * minute + second)
    })
  )

  for (const [name, status] of [
    ["503", 503],
    ["401, because its key was revoked", 401]
  ] as const) {
    it.effect(`fails no trial if all responses are ${name}, and is reported once`, () =>
      Effect.gen(function* () {
        const { count, outages, report } = yield* night([{ from_ms: 60.5 * second, to_ms: 5 * minute, status }])
        assert.deepStrictEqual([count("passed"), count("failed"), count("infra")], [50, 0, 0])
        assert.deepStrictEqual(
          outages.map(({ why }) => why),
          [`HTTP ${status}`]
        )
        assert.strictEqual(report.findings?.[0]?.kind._tag, "ServiceAway")
      })
    )
  }

  it.effect("of some endpoints is not an outage: the scenarios that need them are one finding", () =>
    Effect.gen(function* () {
      const planted = [{ from_ms: 0, to_ms: Infinity, status: 503, path: "/orders" }]
      const { count, outages, report } = yield* night(planted)
      assert.deepStrictEqual([outages, count("passed"), count("infra")], [[], 45, 5])
      const errors = (report.findings ?? []).filter(({ severity }) => severity === "error")
      assert.deepStrictEqual(
        errors.map(({ kind, scenarios }) => [kind._tag, scenarios.map(({ name }) => name)]),
        [["Unreachable", ["s0"]]]
      )
    })
  )
})
