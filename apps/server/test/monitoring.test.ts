import { assert, it } from "@effect/vitest"
import { FinishedTurns, Store, Turn } from "@webagent/engine"
import { Monitoring } from "@webagent/server"
import { Database, SqlStore } from "@webagent/sql"
import { creation } from "@webagent/store-contract/Creation"
import { turn } from "@webagent/test-fixtures/Records"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as TestClock from "effect/testing/TestClock"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { dataOf } from "../src/data.ts"
import { Drain } from "../src/drain.ts"
import { layerFinishedRuns } from "../src/finishedRuns.ts"
import { layerMonitoring } from "../src/monitoring.ts"
import { Writes } from "../src/writes.ts"
import { folder } from "./program.ts"

const parts = Layer.unwrap(
  Effect.map(folder, (path) => {
    const file = join(path, "server.db")
    return layerMonitoring(dataOf(file)).pipe(
      Layer.provideMerge(Layer.merge(layerFinishedRuns, SqlStore.layer)),
      Layer.provide(Writes.layer(file)),
      Layer.provideMerge(Database.layer({ file })),
      Layer.provide(Drain.layer)
    )
  })
)

it.effect("/metrics counts finished runs by status, and by reason, model and key with their cost", () =>
  Effect.gen(function* () {
    const onFinished = yield* FinishedTurns
    const { sample } = yield* Monitoring.Monitoring
    const made = Turn.make({ ...turn, model: "m" })
    const finish = (change: Partial<Turn.Turn>) => onFinished?.({ ...made, ...change }) ?? Effect.void
    const metrics = Effect.map(Effect.andThen(sample, PrometheusMetrics.format()), (text) =>
      text.split("\n").filter((line) => /^webagent_(?:key_)?run/u.test(line))
    )
    // a counter that is first seen at 1 has not grown, as Prometheus counts
    assert.include(yield* metrics, 'webagent_runs_ended_total{status="failed"} 0')
    yield* finish({ owner: "shop", status: "failed", failure: "step_limit", cost: "0.25" })
    yield* finish({ owner: "shop", status: "failed", failure: "step_limit", cost: "0.5" })
    yield* finish({ owner: "key:0123456789abcdef", status: "completed" })
    const lines = yield* metrics
    assert.include(lines, 'webagent_runs_ended_total{status="failed"} 2')
    assert.include(lines, 'webagent_run_outcomes_total{status="failed",reason="step_limit",model="m"} 2')
    assert.include(lines, 'webagent_run_cost_usd_total{model="m"} 0.75')
    assert.include(lines, 'webagent_key_run_outcomes_total{status="failed",reason="step_limit",model="m",key="shop"} 2')
    assert.include(
      lines,
      'webagent_key_run_outcomes_total{status="completed",reason="done",model="m",key="--api-key"} 1'
    )
    assert.include(lines, 'webagent_key_run_cost_usd_total{model="m",key="shop"} 0.75')
    for (let at = 0; at < 300; at++) yield* finish({ owner: `key-${at}`, status: "completed" })
    const keys = (yield* metrics).filter((line) => line.startsWith("webagent_key_run_cost_usd_total"))
    assert.lengthOf(keys, 201)
    // other tests of this process have servers too, and count their own runs
  }).pipe(Effect.provide(parts), Effect.provideService(Metric.MetricRegistry, new Map()))
)

it.effect("/health queries the database once per second, however often it is requested", () =>
  Effect.gen(function* () {
    const store = yield* Store
    const { health } = yield* Monitoring.Monitoring
    const queued = Effect.map(health, ({ runs }) => runs)
    assert.deepStrictEqual(yield* queued, { queued: 0, running: 0 })
    yield* store.commit(creation("1"))
    yield* TestClock.adjust(999)
    assert.deepStrictEqual(yield* queued, { queued: 0, running: 0 })
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* queued, { queued: 1, running: 0 })
  }).pipe(Effect.provide(parts))
)

it.effect("/metrics shows the event loop's delay after it was blocked", () =>
  Effect.gen(function* () {
    const { sample } = yield* Monitoring.Monitoring
    const lag_s = Effect.map(Effect.andThen(sample, PrometheusMetrics.format()), (text) =>
      Number(/^nodejs_eventloop_lag_p99_seconds (.+)$/mu.exec(text)?.[1])
    )
    // forgets how late it was at the start
    yield* lag_s
    // what is measured first has nothing before it
    for (const _ of ["first", "second"]) {
      const until_ms = performance.now() + 500
      while (performance.now() < until_ms) {
        // blocks
      }
      yield* Effect.promise(() => sleep(100))
    }
    assert.isAtLeast(yield* lag_s, 0.4)
  }).pipe(Effect.provide(parts), Effect.provideService(Metric.MetricRegistry, new Map()))
)
