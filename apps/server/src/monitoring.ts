import { NodeId, type Turn } from "@webagent/engine"
import { Monitoring, version } from "@webagent/server"
import { OpenCounts, WriteAheadLog } from "@webagent/sql"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as SqlClient from "effect/sql/SqlClient"
import { statSync } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { ServedBrowsers } from "./browsers.ts"
import type { Data } from "./data.ts"
import { Drain, held } from "./drain.ts"
import { Writes } from "./writes.ts"

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Sizes of a database and its log on disk. */
const sizesOf = (data: Data) =>
  data._tag === "File"
    ? Effect.sync(() => ({ file: sizeOf(data.name), log: sizeOf(`${data.name}-wal`) }))
    : SqlClient.SqlClient.use((sql) =>
        Effect.map(sql<{ readonly bytes: number }>`SELECT pg_database_size(current_database()) AS bytes`, ([size]) => ({
          file: size?.bytes ?? 0,
          log: 0
        }))
      )

/**
 * Maximum age of the database figures in `/health` and `/metrics`, because a load balancer may well send ten requests
 * per second.
 */
const maxAge = "1 second"

/** A database that takes longer is away: who asks for requests to be sent elsewhere does not wait for it. */
const soon = "1 second"

const gauge = (name: string, description: string, attributes: Readonly<Record<string, string>> = {}) =>
  Metric.gauge(name, { description, attributes })

const runs = (status: string) => gauge("webagent_runs", "Runs that are not over", { status })
const bytes = (part: string) => gauge("webagent_store_bytes", "Size of the database on disk", { part })

const gauges = {
  queued: runs("queued"),
  running: runs("running"),
  browsers: gauge("webagent_browsers", "Browsers that are not stopped"),
  sessionsHere: gauge("webagent_node_sessions", "Sessions that this node works on"),
  browsersHere: gauge("webagent_node_browsers", "Browsers that run at this node"),
  oldest: gauge("webagent_oldest_waiting_seconds", "For how long the run waits that waits longest"),
  file: bytes("file"),
  log: bytes("log"),
  draining: gauge("webagent_draining", "1 while the server is about to stop"),
  up: gauge("webagent_store_up", "1 while the database responds"),
  writable: gauge("webagent_store_writable", "1 while writes to the database succeed"),
  resident: gauge("process_resident_memory_bytes", "Memory of the process"),
  heap: gauge("nodejs_heap_size_used_bytes", "Heap that is used"),
  lag: gauge("nodejs_eventloop_lag_p99_seconds", "How long the event loop was late since the last time, p99")
}

type Ending = Extract<Turn.TurnStatus, "completed" | "failed" | "cancelled">

const cpu = Metric.counter("process_cpu_seconds_total", { description: "CPU time of the process", incremental: true })

const ended = (status: Ending) =>
  Metric.counter("webagent_runs_ended_total", {
    description: "Runs that ended since the server began",
    attributes: { status },
    incremental: true
  })

/** The counters of finished runs by status, which start at 0: Prometheus sees no increase in a counter that starts at 1. */
export const endings = { completed: ended("completed"), failed: ended("failed"), cancelled: ended("cancelled") }

/**
 * Interval for measuring the delay of the event loop. Each measurement wakes the process, and every 50 ms takes 0.3 % of
 * a core, so it runs only while a monitoring system reads `/metrics`.
 */
const lagEvery_ms = 50

/** Time after a read of `/metrics` for which the delay is measured: longer than Prometheus waits between two reads. */
const lagFor = "5 minutes"

const make = Effect.fnUntraced(function* (data: Data) {
  const drain = yield* Drain
  const isDraining = () => drain.draining || drain.requested
  const context = yield* Effect.context<SqlClient.SqlClient>()
  const node = yield* NodeId
  const { blockedBy } = yield* WriteAheadLog
  const writes = yield* Writes
  const { isolation, kind, sentence } = yield* ServedBrowsers
  const began_ms = yield* Clock.currentTimeMillis
  const delay = monitorEventLoopDelay({ resolution: lagEvery_ms })
  const stopDelay = Effect.sync(() => void delay.disable())
  yield* Effect.addFinalizer(() => stopDelay)
  const unread = yield* FiberHandle.make()
  const startDelay = Effect.suspend(() => {
    delay.enable()
    return FiberHandle.run(unread, Effect.andThen(Effect.sleep(lagFor), stopDelay))
  })
  let cpu_s = 0
  const counted = yield* Effect.cachedWithTTL(
    Effect.all([OpenCounts.get, sizesOf(data), held]).pipe(
      Effect.map(([all, sizes, here]) => ({ ...all, ...sizes, here })),
      Effect.timeout(soon),
      Effect.orElseSucceed(() => undefined),
      Effect.provide(context)
    ),
    maxAge
  )
  // a counter that is first seen at 1 has not grown, as Prometheus counts
  for (const counter of Object.values(endings)) yield* Metric.update(counter, 0)

  const current = Effect.all([counted, writes.failure], { concurrency: 2 })

  const sample = Effect.gen(function* () {
    const [state, failure] = yield* current
    const now_ms = yield* Clock.currentTimeMillis
    const { heapUsed, rss } = process.memoryUsage()
    yield* Metric.update(gauges.up, state === undefined ? 0 : 1)
    yield* Metric.update(gauges.writable, failure === null ? 1 : 0)
    yield* Metric.update(gauges.queued, state?.queued ?? 0)
    yield* Metric.update(gauges.running, state?.running ?? 0)
    yield* Metric.update(gauges.browsers, state?.browsers ?? 0)
    yield* Metric.update(gauges.sessionsHere, state?.here.sessions ?? 0)
    yield* Metric.update(gauges.browsersHere, state?.here.browsers ?? 0)
    yield* Metric.update(gauges.oldest, state?.oldest_ms == null ? 0 : Math.max(0, now_ms - state.oldest_ms) / 1000)
    yield* Metric.update(gauges.file, state?.file ?? 0)
    yield* Metric.update(gauges.log, state?.log ?? 0)
    yield* Metric.update(gauges.draining, isDraining() ? 1 : 0)
    yield* Metric.update(gauges.resident, rss)
    yield* Metric.update(gauges.heap, heapUsed)
    yield* Metric.update(gauges.lag, Math.max(0, delay.percentile(99) / 1e6 - lagEvery_ms) / 1000)
    delay.reset()
    yield* startDelay
    const { system, user } = process.cpuUsage()
    const used_s = (system + user) / 1e6
    yield* Metric.update(cpu, used_s - cpu_s)
    cpu_s = used_s
  })

  const health = Effect.gen(function* () {
    const [state, failure] = yield* current
    const now_ms = yield* Clock.currentTimeMillis
    const unavailable =
      state === undefined ? "The database does not respond" : failure === null ? null : "Writes to the database fail"
    const status = unavailable !== null ? "unavailable" : isDraining() ? "draining" : "ok"
    const blocking = yield* blockedBy
    return {
      status,
      ready: status === "ok",
      ...(unavailable === null ? {} : { reason: unavailable }),
      draining: isDraining(),
      version,
      node,
      uptimeSeconds: Math.floor((now_ms - began_ms) / 1000),
      store: {
        kind: data._tag === "File" ? "sqlite" : "postgres",
        answers: state !== undefined,
        writeError: failure,
        bytes: state === undefined ? null : state.file + state.log,
        log: {
          bytes: state?.log ?? null,
          blockedBy: blocking && {
            processes: blocking.processes,
            seconds: Math.floor((now_ms - blocking.since_ms) / 1000)
          }
        }
      },
      runs: { queued: state?.queued ?? null, running: state?.running ?? null },
      browsers: { active: state?.browsers ?? null, kind, isolation, sentence }
    } satisfies Monitoring.HealthView
  })

  return { health, sample }
})

/** Figures of a server with a database for `/health` and `/metrics`. */
export const layerMonitoring = (data: Data) => Layer.effect(Monitoring.Monitoring, make(data))
