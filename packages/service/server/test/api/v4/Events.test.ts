import { assert, describe, it } from "@effect/vitest"
import { MemoryStore, Store, type StreamingAgent } from "@webagent/engine"
import * as EventStreams from "@webagent/test-fixtures/EventStreams"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { EventIntervals } from "../../../src/api/EventHub.ts"
import { Server } from "../../../src/Server.ts"
import { send } from "../../http/send.ts"
import { layerOver } from "../../http/served.ts"

/** Takes as many steps as its task says, each when it's let. */
const stepping = (next: Effect.Effect<void> = Effect.void): StreamingAgent["perform"] => {
  const steps: StreamingAgent["perform"] = ({ task }, { step, stepEnded }) =>
    Stream.fromEffectDrain(
      Effect.forEach(Array.from({ length: Number(task) }), (_, index) =>
        Effect.gen(function* () {
          yield* next
          yield* step({ summary: "look", address: null, picture: null })
          yield* stepEnded(index === 1 ? "There is nothing to see." : null)
        })
      )
    )
  return (...attempt) =>
    Stream.make({ _tag: "Started" } as const).pipe(
      Stream.concat(steps(...attempt)),
      Stream.concat(Stream.make({ _tag: "Completed", report: { output: "ok" } } as const))
    )
}

const create = (task: string) =>
  Effect.map(send("POST", "/api/v4/runs", { body: { task }, key: "wak_test" }), ({ body }) => String(body["id"]))

const read = (id: string, query = "", headers: Readonly<Record<string, string>> = {}) =>
  send("GET", `/api/v4/runs/${id}/events${query}`, { key: "wak_test", headers })

const types = (events: unknown) => (events as ReadonlyArray<{ readonly type: string }>).map(({ type }) => type)

const finished = (id: string) =>
  Effect.repeat(Effect.delay(send("GET", `/api/v4/runs/${id}/status`, { key: "wak_test" }), "5 millis"), {
    until: ({ body }) => body["status"] === "completed"
  })

const eventStream = { accept: "text/event-stream" }

const keyed = { "x-service-api-key": "wak_test" }

/** Reads the events of a response until it ends, or until as many came. */
const follow = (id: string, headers: Readonly<Record<string, string>> = {}, most = Infinity, query = "") =>
  Effect.flatMap(Server, ({ address }) =>
    Effect.promise((signal) =>
      EventStreams.follow(`${address}/api/v4/runs/${id}/events${query}`, { ...keyed, ...headers }, most, signal)
    )
  )

const lifeOf3 = [
  "run.queued",
  "run.dispatching",
  "run.running",
  "run.step.started",
  "run.step.succeeded",
  "run.step.started",
  "run.step.failed",
  "run.step.started",
  "run.step.succeeded",
  "run.completed"
]

const often = Layer.succeed(EventIntervals, { poll: "5 millis", gather: 0, keepAlive: "40 millis" })

/** A server over a store that the test sees, too. */
const served = (perform: StreamingAgent["perform"]) =>
  Layer.unwrap(
    Effect.map(Layer.build(Layer.fresh(MemoryStore.layer)), (context) => {
      const store = Layer.succeedContext(context)
      return Layer.merge(layerOver(store, { perform }).pipe(Layer.provide(often)), store)
    })
  )

describe("a run's events", () => {
  it.live("are paged, with the position to continue from", () =>
    Effect.gen(function* () {
      const id = yield* create("3")
      yield* finished(id)
      const { body } = yield* read(id)
      assert.deepStrictEqual(types(body["events"]), lifeOf3)
      assert.deepInclude(body, { hasMore: false, reset: false })
      const [first, , , , , , failed] = body["events"] as ReadonlyArray<Record<string, unknown>>
      assert.deepInclude(first, { runId: id, data: { status: "queued" } })
      assert.isFalse(Number.isNaN(Date.parse(String(first?.["ts"]))))
      assert.deepInclude(failed, { data: { status: "failed", step: 2 } })
      const paged: Array<string> = []
      let after = 0
      for (;;) {
        const { body: page } = yield* read(id, `?after=${after}&limit=4`)
        paged.push(...types(page["events"]))
        after = Number(page["nextAfter"])
        if (page["hasMore"] !== true) break
      }
      assert.deepStrictEqual(paged, lifeOf3)
      // another run's events count toward the position
      yield* finished(yield* create("1"))
      const { body: rest } = yield* read(id, `?after=${after}`)
      assert.deepStrictEqual(rest["events"], [])
      assert.isAbove(Number(rest["nextAfter"]), after)
      // a position beyond the log is one of before a restore
      const { body: beyond } = yield* read(id, "?after=1000000")
      assert.deepStrictEqual([beyond["nextAfter"], beyond["reset"]], [rest["nextAfter"], true])
    }).pipe(Effect.provide(served(stepping())))
  )

  it.live("continue at the end of the log for a client whose position is beyond it", () =>
    Effect.gen(function* () {
      const id = yield* create("1")
      yield* finished(id)
      const { body } = yield* read(id)
      const beyond = yield* read(id, `?after=${Number(body["nextAfter"]) + 1000}`)
      assert.deepStrictEqual(beyond.body, {
        events: [],
        nextAfter: body["nextAfter"],
        hasMore: false,
        reset: true
      })
    }).pipe(Effect.provide(served(stepping())))
  )

  it.live("are refused with a sentence for an invalid query, an unknown run and a foreign position", () =>
    Effect.gen(function* () {
      const id = yield* create("1")
      const wrong = ["0", "101", "1e2", " 5", "05", "5.0", "+5", "0x5", "5 ", "٥", ""]
      for (const query of [...wrong.map((limit) => `?limit=${encodeURIComponent(limit)}`), "?after=-1", "?after=x"]) {
        assert.strictEqual((yield* read(id, query)).status, 422, query)
      }
      const { body, status } = yield* read(id, "", { ...eventStream, "last-event-id": "abc" })
      assert.strictEqual(status, 422)
      assert.include(JSON.stringify(body), "Expected the id of an event of this server")
      assert.strictEqual((yield* read("00000000-0000-4000-8000-000000000099")).status, 404)
      assert.strictEqual((yield* read("00000000-0000-4000-8000-000000000099", "", eventStream)).status, 404)
      assert.strictEqual(
        (yield* send("GET", `/api/v4/runs/${id}/events`, { headers: eventStream, key: null })).status,
        401
      )
    }).pipe(Effect.provide(served(stepping())))
  )

  it.live("are streamed as they happen, until the run has finished", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      yield* Effect.gen(function* () {
        const id = yield* create("3")
        const live = yield* Effect.forkChild(follow(id))
        // the headers and the first events are there while the run waits
        const early = yield* follow(id, {}, 3)
        assert.deepStrictEqual(
          early.events.map(({ event }) => event),
          lifeOf3.slice(0, 3)
        )
        yield* Deferred.succeed(gate, undefined)
        const { events, headers } = yield* Fiber.join(live)
        assert.deepStrictEqual(
          events.flatMap(({ event }) => (event === "ping" ? [] : [event])),
          lifeOf3
        )
        assert.strictEqual(headers.get("content-type"), "text/event-stream")
        assert.strictEqual(headers.get("cache-control"), "no-store")
        assert.strictEqual(headers.get("x-accel-buffering"), "no")
        const listed = (yield* read(id)).body["events"] as ReadonlyArray<{ readonly id: number }>
        assert.deepStrictEqual<unknown>(
          events.filter(({ event }) => event !== "ping").map(({ data }) => data as object),
          listed
        )
        // after the last one, an EventSource must not come back
        const last = String(listed.at(-1)?.id)
        assert.strictEqual((yield* follow(id, { "last-event-id": last })).status, 204)
        const rest = yield* follow(id, { "last-event-id": String(listed[7]?.id) })
        assert.deepStrictEqual(
          rest.events.map(({ event }) => event),
          lifeOf3.slice(8)
        )
        assert.lengthOf((yield* follow(id, {}, Infinity, `?after=${listed[7]?.id}`)).events, 2)
      }).pipe(Effect.provide(served(stepping(Deferred.await(gate)))))
    })
  )

  it.live("have pings with the position, even if only other runs have events", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      yield* Effect.gen(function* () {
        const id = yield* create("1")
        const { events } = yield* follow(id, {}, 4)
        assert.deepStrictEqual(
          events.map(({ event }) => event),
          [...lifeOf3.slice(0, 3), "ping"]
        )
        yield* create("1")
        const later = yield* follow(id, { "last-event-id": String(events[3]?.id) }, 3)
        assert.isTrue(later.events.every(({ event }) => event === "ping"))
        assert.isAbove(later.events[2]?.id ?? 0, events[3]?.id ?? 0)
      }).pipe(Effect.provide(served(stepping(Deferred.await(gate)))))
    })
  )

  it.live("are awaited with Prefer: wait", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      yield* Effect.gen(function* () {
        const id = yield* create("1")
        yield* follow(id, {}, 3)
        const { body } = yield* read(id)
        const after = `?after=${String(body["nextAfter"])}`
        assert.deepStrictEqual((yield* read(id, after)).body["events"], [])
        assert.deepStrictEqual((yield* read(id, after, { prefer: "respond-async, wait=1" })).body["events"], [])
        const waiting = yield* Effect.forkChild(read(id, after, { prefer: "wait=30" }))
        yield* Effect.sleep("50 millis")
        yield* Deferred.succeed(gate, undefined)
        assert.strictEqual(types((yield* Fiber.join(waiting)).body["events"])[0], "run.step.started")
        yield* finished(id)
        // a finished run has no more
        const { body: all } = yield* read(id)
        const end = yield* read(id, `?after=${String(all["nextAfter"])}`, { prefer: "wait=30" })
        assert.deepStrictEqual(end.body["events"], [])
      }).pipe(Effect.provide(served(stepping(Deferred.await(gate)))))
    })
  )

  it.live("consist of a reset and the last status if they were pruned", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const id = yield* create("3")
      yield* finished(id)
      const listed = (yield* read(id)).body["events"] as ReadonlyArray<{ readonly id: number }>
      yield* store.prune({ eventsUntil: listed[5]?.id ?? 0, limit: 1000 })
      const some = yield* follow(id)
      assert.deepStrictEqual(
        some.events.map(({ event }) => event),
        ["reset", ...lifeOf3.slice(6)]
      )
      const { body: page } = yield* read(id)
      assert.deepStrictEqual([types(page["events"]), page["reset"]], [lifeOf3.slice(6), true])
      assert.isFalse((yield* read(id, `?after=${listed[5]?.id}`)).body["reset"])
      yield* store.prune({ eventsUntil: yield* store.newestEvent, limit: 1000 })
      const { events } = yield* follow(id)
      assert.deepStrictEqual(
        events.map(({ event }) => event),
        ["reset", "run.completed"]
      )
      const { body } = yield* read(id)
      assert.deepStrictEqual([types(body["events"]), body["reset"]], [["run.completed"], true])
      const again = yield* read(id, `?after=${String(body["nextAfter"])}`)
      assert.deepStrictEqual(again.body["events"], [])
      assert.strictEqual((yield* follow(id, { "last-event-id": String(events[1]?.id) })).status, 204)
    }).pipe(Effect.provide(served(stepping())))
  )

  it.live("are neither lost nor duplicated for clients whose connections break repeatedly", () =>
    Effect.gen(function* () {
      const id = yield* create("60")
      const { address } = yield* Server
      const clients = [0, 1, 2, 3, 4].map((client) =>
        Effect.promise(() => {
          let round = client
          const most = () => 1 + ((round++ * 7) % 11)
          return EventStreams.followThrough(`${address}/api/v4/runs/${id}/events`, keyed, most)
        })
      )
      const followed = yield* Effect.all(clients, { concurrency: "unbounded" })
      const { body } = yield* read(id, "?limit=100")
      const { body: more } = yield* read(id, `?limit=100&after=${String(body["nextAfter"])}`)
      const listed = [body["events"], more["events"]].flatMap((events) => events as ReadonlyArray<object>)
      assert.lengthOf(listed, 3 + 120 + 1)
      for (const events of followed)
        assert.deepStrictEqual(
          events.map(({ data }) => data as object),
          listed
        )
    }).pipe(Effect.provide(served(stepping(Effect.sleep("2 millis")))))
  )

  it.live("don't prevent a server from stopping", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Scope.provide(Layer.build(served(() => Stream.never)), scope)
      const id = yield* Effect.provideContext(create("1"), context)
      const live = yield* Effect.forkChild(Effect.exit(Effect.provideContext(follow(id), context)))
      yield* Effect.provideContext(follow(id, {}, 1), context)
      yield* Scope.close(scope, Exit.void)
      yield* Fiber.join(live)
    })
  )
})
