import { assert, it } from "@effect/vitest"
import { Store } from "@webagent/engine"
import { Monitoring } from "@webagent/server"
import { Database, SqlStore } from "@webagent/sql"
import { creation } from "@webagent/store-contract/Creation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as TestClock from "effect/testing/TestClock"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { dataOf } from "../src/data.ts"
import { Drain } from "../src/drain.ts"
import { layerCounted, layerMonitoring } from "../src/monitoring.ts"
import { folder } from "./program.ts"

const parts = Layer.unwrap(
  Effect.map(folder, (path) => {
    const file = join(path, "server.db")
    return layerMonitoring(dataOf(file)).pipe(
      Layer.provideMerge(Layer.provide(layerCounted, SqlStore.layer)),
      Layer.provideMerge(Database.layer({ file })),
      Layer.provide(Drain.layer)
    )
  })
)

it.effect(
  "runs that ended are counted when they end, and not when they are asked for, when their events may be pruned",
  () =>
    Effect.gen(function* () {
      const store = yield* Store
      const { sample } = yield* Monitoring.Monitoring
      const told = Effect.map(Effect.andThen(sample, PrometheusMetrics.format()), (text) =>
        text.split("\n").filter((line) => line.startsWith("webagent_runs_ended_total{"))
      )
      assert.sameMembers(yield* told, [
        'webagent_runs_ended_total{status="completed"} 0',
        'webagent_runs_ended_total{status="failed"} 0',
        'webagent_runs_ended_total{status="cancelled"} 0'
      ])
      for (const id of ["1", "2"]) {
        const { events, session, turns } = creation(id)
        const ended = events.map((event) => (event.of === "turn" ? { ...event, to: "failed" } : event))
        yield* store.commit({ session, turns, events: ended })
      }
      yield* store.prune({ eventsUntil: 1_000_000, limit: 100 })
      assert.include(yield* told, 'webagent_runs_ended_total{status="failed"} 2')
      // other tests of this process have servers too, and count what those end
    }).pipe(Effect.provide(parts), Effect.provideService(Metric.MetricRegistry, new Map()))
)

it.effect("/health asks the database once a second, however often it is asked", () =>
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

it.effect("tells how late the event loop was after it was blocked", () =>
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
