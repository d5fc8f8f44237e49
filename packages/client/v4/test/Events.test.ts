import { assert, describe, it } from "@effect/vitest"
import { PollBudget, PollSchedule } from "@webagent/polling"
import { type Answer, ScriptedServer } from "@webagent/scripted-server"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Runs } from "../src/index.ts"
import { Events, layerWaits, type WatchedEvent } from "../src/Events.ts"
import { layer as layerOver } from "./client.ts"

const layer = Layer.provideMerge(Events.layer, layerOver())

/** A service that keeps the events of one run, and holds requests as `Prefer` says. */
class EventLog {
  readonly events: Array<{ readonly id: number; readonly type: string }> = []
  readonly waiting = new Set<() => void>()
  status = "running"
  /** The first event that is still stored. */
  oldest = 0

  add(...types: ReadonlyArray<string>) {
    for (const type of types) this.events.push({ id: 3 * (this.events.length + 1), type })
    for (const wake of this.waiting) wake()
  }

  end(status: string) {
    this.status = status
    this.add(`run.${status}`)
  }

  page(after: number): Answer {
    const stored = this.events.filter(({ id }) => id > after && id >= this.oldest)
    const events = stored.map((event) => ({ ...event, runId: "r-1", data: { status: event.type.split(".").at(-1) } }))
    const isGap = after < this.oldest - 1
    const nextAfter = isGap && events.length === 0 ? this.oldest - 1 : null
    return { json: { events: events.slice(0, 4), nextAfter, hasMore: events.length > 4, reset: isGap } }
  }

  readonly answer = (url: string, prefer: unknown): Answer => {
    if (url.endsWith("/status")) return { json: { status: this.status } }
    if (!url.includes("/events")) return { json: { id: "r-1", status: this.status } }
    const after = Number(new URL(url, "http://a").searchParams.get("after"))
    const isNew = this.events.some(({ id }) => id > after)
    if (isNew || prefer !== "wait=20" || !["queued", "running"].includes(this.status)) return this.page(after)
    return (response) => {
      const wake = () => {
        this.waiting.delete(wake)
        const page = this.page(after) as { readonly json: unknown }
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(page.json))
      }
      this.waiting.add(wake)
    }
  }
}

const serving = Effect.map(ScriptedServer, (server) => {
  const log = new EventLog()
  server.script = ({ headers, url }) => log.answer(url, headers["prefer"])
  return { log, server }
})

/** Responds after 220 ms, and ignores `Prefer`. */
const slowly =
  (log: EventLog): ScriptedServer["Service"]["script"] =>
  ({ url }) =>
  (response) => {
    const { json } = log.answer(url, undefined) as { readonly json: unknown }
    setTimeout(() => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(json)), 220)
  }

const types = (events: ReadonlyArray<WatchedEvent>) => events.map(({ type }) => type)

const paths = Effect.map(ScriptedServer, ({ requests }) =>
  requests.map(({ headers, url }) => `${url.replace("/api/v4/runs/r-1", "")} ${String(headers["prefer"] ?? "")}`.trim())
)

const until = (isTrue: () => boolean) => Effect.repeat(Effect.sleep("2 millis"), { until: () => isTrue() })

describe("Events.watch", () => {
  it.live("emits events of any type as they happen, in requests that the service holds", () =>
    Effect.gen(function* () {
      const { log } = yield* serving
      log.add("run.queued", "run.running")
      const events = yield* Events
      const watching = yield* Effect.forkChild(Stream.runCollect(events.watch("r-1")))
      yield* until(() => log.waiting.size === 1)
      log.add("run.step.started")
      yield* until(() => log.waiting.size === 1)
      log.add("run.paused.by.someone")
      yield* until(() => log.waiting.size === 1)
      log.end("completed")
      const all = yield* Fiber.join(watching)
      assert.deepStrictEqual<ReadonlyArray<string>>(types(all), [
        "run.queued",
        "run.running",
        "run.step.started",
        "run.paused.by.someone",
        "run.completed"
      ])
      assert.deepStrictEqual(all[2], { runId: "r-1", id: 9, type: "run.step.started", data: { status: "started" } })
      assert.deepStrictEqual(yield* paths, [
        "/events?after=0&limit=100 wait=20",
        "/events?after=6&limit=100 wait=20",
        "/events?after=9&limit=100 wait=20",
        // a type that isn't known may be a new status
        "/status",
        "/events?after=12&limit=100 wait=20"
      ])
    }).pipe(Effect.provide(layer))
  )

  it.live("continues at its position when connections are cut, and loses no event of a poll that failed later", () =>
    Effect.gen(function* () {
      const { log, server } = yield* serving
      log.add(...Array.from({ length: 30 }, (_, step) => `run.step.${step % 2 === 0 ? "started" : "succeeded"}`))
      log.end("failed")
      const { script } = server
      server.script = (request, count) => (count % 3 === 0 ? (response) => response.destroy() : script(request, count))
      const events = yield* Events
      const all = yield* Stream.runCollect(events.watch("r-1"))
      assert.deepStrictEqual(
        all.map(({ id }) => id),
        log.events.map(({ id }) => id)
      )
      const rest = yield* Stream.runCollect(events.watch("r-1", { after: 84 }))
      assert.deepStrictEqual(
        rest.map(({ id }) => id),
        [87, 90, 93]
      )
    }).pipe(Effect.provide(layer))
  )

  it.live("reports a reset where events were pruned, and ends with the final status even if its event is gone", () =>
    Effect.gen(function* () {
      const { log } = yield* serving
      log.add("run.queued", "run.running", "run.step.started")
      log.end("completed")
      log.oldest = 9
      const events = yield* Events
      assert.deepStrictEqual(types(yield* Stream.runCollect(events.watch("r-1"))), [
        "reset",
        "run.step.started",
        "run.completed"
      ])
      log.oldest = 1000
      const [reset, last] = yield* Stream.runCollect(events.watch("r-1"))
      assert.strictEqual(reset?.type, "reset")
      assert.deepStrictEqual([last?.type, last?.data], ["run.completed", { status: "completed" }])
    }).pipe(Effect.provide(layer))
  )

  it.live("ends a run whose last event it doesn't know by the status of the run", () =>
    Effect.gen(function* () {
      const { log } = yield* serving
      log.status = "failed"
      log.add("run.queued", "run.dispatch_failed")
      const events = yield* Events
      assert.deepStrictEqual<ReadonlyArray<string>>(types(yield* Stream.runCollect(events.watch("r-1"))), [
        "run.queued",
        "run.dispatch_failed",
        "run.failed"
      ])
    }).pipe(Effect.provide(layer))
  )

  it.live("polls at the pace of its schedule where the service doesn't hold requests", () =>
    Effect.gen(function* () {
      const { log, server } = yield* serving
      server.script = ({ url }) => log.answer(url, undefined)
      log.add("run.running")
      const events = yield* Events
      const watching = yield* Effect.forkChild(
        Stream.runCollect(events.watch("r-1", { schedule: { delay_ms: () => 40, jitter: 0 } }))
      )
      yield* Effect.sleep("300 millis")
      assert.isBelow(server.requests.filter(({ url }) => url.includes("/events")).length, 11)
      assert.isUndefined(server.requests.at(-1)?.headers["prefer"])
      log.end("cancelled")
      assert.deepStrictEqual(types(yield* Fiber.join(watching)), ["run.running", "run.cancelled"])
    }).pipe(Effect.provide(layer))
  )

  it.live("polls a slow service that doesn't hold requests at the pace of its schedule", () =>
    Effect.gen(function* () {
      const { log, server } = yield* serving
      server.script = slowly(log)
      const events = yield* Events
      yield* Effect.forkChild(Stream.runDrain(events.watch("r-1", { schedule: PollSchedule.every("1 minute") })))
      yield* until(() => server.requests.some(({ url }) => url.endsWith("/status")))
      yield* Effect.sleep("700 millis")
      assert.lengthOf(server.requests, 2)
    }).pipe(Effect.provide(layer))
  )

  it.live("polls the status where the service has no events, and looks for them once", () =>
    Effect.gen(function* () {
      const { log, server } = yield* serving
      server.script = ({ headers, url }, count) => {
        if (url.includes("/events")) return { status: 404, json: { detail: "Not Found" } }
        if (count > 3) log.status = "completed"
        return log.answer(url, headers["prefer"])
      }
      const events = yield* Events
      assert.deepStrictEqual(yield* Stream.runCollect(events.watch("r-1")), [
        { runId: "r-1", id: undefined, type: "run.running", data: { status: "running" } },
        { runId: "r-1", id: undefined, type: "run.completed", data: { status: "completed" } }
      ])
      yield* Stream.runCollect(events.watch("r-1"))
      assert.lengthOf(
        server.requests.filter(({ url }) => url.includes("/events")),
        1
      )
    }).pipe(Effect.provide(layer))
  )

  it.live("fails for an unknown run, whose 404 isn't that of a missing operation", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ status: 404, json: { detail: "Run not found" } })
      const events = yield* Events
      const error = yield* Effect.flip(Stream.runCollect(events.watch("r-1")))
      assert.strictEqual(error._tag, "RunNotFoundError")
      assert.lengthOf(server.requests, 1)
    }).pipe(Effect.provide(layer))
  )

  it.live("shortens its requests behind a proxy that cuts them, and then polls", () =>
    Effect.gen(function* () {
      const { log, server } = yield* serving
      log.add("run.running")
      server.script = ({ headers, url }) =>
        headers["prefer"] === undefined ? log.answer(url, undefined) : { status: 504, text: "<html>" }
      const events = yield* Events
      const watching = yield* Effect.forkChild(Stream.runCollect(events.watch("r-1")))
      yield* until(() => server.requests.some(({ url }) => url.endsWith("/status")))
      log.end("completed")
      assert.deepStrictEqual(types(yield* Fiber.join(watching)), ["run.running", "run.completed"])
      assert.deepStrictEqual(
        server.requests.flatMap(({ headers }) => headers["prefer"] ?? []),
        [20, 10, 5, 2, 1].map((seconds) => `wait=${seconds}`)
      )
    }).pipe(Effect.provide(layer))
  )

  it.live("fails with the last status at its deadline, and keeps the caller's headers", () =>
    Effect.gen(function* () {
      const { log, server } = yield* serving
      log.add("run.queued", "run.running")
      const events = yield* Events
      const error = yield* Effect.flip(
        Stream.runDrain(events.watch("r-1", { timeout: "30 millis", headers: { "x-team": "travel" } }))
      )
      assert.deepInclude({ ...error }, { _tag: "WaitTimeoutError", id: "r-1", lastStatus: "running" })
      // the service held the request no longer than that, in whole seconds
      assert.isBelow(error._tag === "WaitTimeoutError" ? error.waited_ms : 0, 4500)
      assert.isTrue(server.requests.every(({ headers }) => headers["x-team"] === "travel"))
    }).pipe(Effect.provide(layer))
  )
})

describe("waits with layerWaits", () => {
  const following = layerOver().pipe(Layer.provide(layerWaits))

  it.live("notice the end of a run by its event, and send few requests", () =>
    Effect.gen(function* () {
      const { log } = yield* serving
      log.add("run.queued", "run.running")
      const runs = yield* Runs
      const waits = yield* Effect.forkChild(
        Effect.all([runs.untilTerminal("r-1"), Stream.runCollect(runs.watch("r-1"))], { concurrency: 2 })
      )
      yield* until(() => log.waiting.size === 1)
      log.add("run.step.started")
      yield* until(() => log.waiting.size === 1)
      log.end("completed")
      const [run, statuses] = yield* Fiber.join(waits)
      assert.strictEqual(run.status, "completed")
      assert.deepStrictEqual(statuses, [{ status: "running" }, { status: "completed" }])
      assert.deepStrictEqual(yield* paths, [
        "/status",
        "/events?after=0&limit=100 wait=20",
        "/events?after=6&limit=100 wait=20",
        "/events?after=9&limit=100 wait=20",
        ""
      ])
    }).pipe(Effect.provide(following))
  )

  it.live("report each change when it happens, however slow their schedule is", () =>
    Effect.gen(function* () {
      const { log } = yield* serving
      log.status = "queued"
      log.add("run.queued")
      const runs = yield* Runs
      const schedule = PollSchedule.every("1 minute")
      const waits = yield* Effect.forkChild(
        Effect.all([runs.untilTerminal("r-1", { schedule }), Stream.runCollect(runs.watch("r-1", { schedule }))], {
          concurrency: 2
        })
      )
      yield* until(() => log.waiting.size === 1)
      log.add("run.running")
      yield* until(() => log.waiting.size === 1)
      log.end("completed")
      const [run, statuses] = yield* Fiber.join(waits)
      assert.strictEqual(run.status, "completed")
      assert.deepStrictEqual(
        statuses.map(({ status }) => status),
        ["queued", "running", "completed"]
      )
    }).pipe(Effect.provide(following))
  )

  it.live("follow events again after a request for them has failed", () =>
    Effect.gen(function* () {
      const { log, server } = yield* serving
      log.add("run.running")
      const { script } = server
      server.script = (request, count) => (count === 2 ? { status: 503, json: {} } : script(request, count))
      const runs = yield* Runs
      const waiting = yield* Effect.forkChild(runs.untilTerminal("r-1"))
      yield* until(() => server.requests.length > 2)
      // the request that failed was held for too long, perhaps
      assert.deepStrictEqual((yield* paths).slice(0, 3), [
        "/status",
        "/events?after=0&limit=100 wait=20",
        "/events?after=0&limit=100 wait=10"
      ])
      log.end("completed")
      yield* Fiber.join(waiting)
    }).pipe(Effect.provide(following))
  )

  it.live("poll a slow service that doesn't hold requests at the pace of their schedule", () =>
    Effect.gen(function* () {
      const { log, server } = yield* serving
      server.script = slowly(log)
      const runs = yield* Runs
      yield* Effect.forkChild(Stream.runDrain(runs.watch("r-1", { schedule: PollSchedule.every("1 minute") })))
      yield* until(() => server.requests.length === 3)
      yield* Effect.sleep("700 millis")
      assert.deepStrictEqual(yield* paths, ["/status", "/events?after=0&limit=100 wait=20", "/status"])
    }).pipe(Effect.provide(following))
  )

  it.live("send no more requests than the poll budget allows, however many events a run has", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = ({ url }, id) => ({
        json: url.includes("/events")
          ? { events: [{ id, type: "run.step.started" }], nextAfter: id }
          : { status: "running" }
      })
      const runs = yield* Runs
      yield* Effect.forkChild(Stream.runDrain(runs.watch("r-1")))
      yield* Effect.sleep("1 second")
      assert.isAtLeast(server.requests.length, 2)
      assert.isAtMost(server.requests.length, 8)
    }).pipe(Effect.provide(following.pipe(Layer.provide(PollBudget.layer({ perSecond: 5, burst: 0 })))))
  )

  for (const [what, page] of [
    ["has no events", { status: 404, json: { detail: "Not Found" } }],
    ["doesn't hold requests", { json: { events: [], nextAfter: 0, hasMore: false } }]
  ] as const) {
    it.live(`poll where the service ${what}`, () =>
      Effect.gen(function* () {
        const { log, server } = yield* serving
        server.script = ({ url }, count) => {
          if (count > 6) log.status = "completed"
          return url.includes("/events") ? page : log.answer(url, undefined)
        }
        const runs = yield* Runs
        assert.strictEqual((yield* runs.untilTerminal("r-1")).status, "completed")
        assert.lengthOf(
          server.requests.filter(({ url }) => url.includes("/events")),
          1
        )
      }).pipe(Effect.provide(following))
    )
  }
})
