import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { create, send, until, withNodes } from "./neighbours.ts"

const begin = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

const stop = (node: Parameters<typeof send>[0], id: string) =>
  send(node, "PATCH", `/api/v4/browsers/${id}`, { body: { action: "stop" } })

describe("POST /browsers while every node is full", () => {
  it.live("waits until a browser of its own node stops", () =>
    withNodes({ a: { most: 1, queues: true }, b: { most: 0 } }, function* ({ a }) {
      const first = yield* create(a)
      const second = yield* begin(create(a))
      yield* Effect.sleep("100 millis")
      assert.isUndefined(second.pollUnsafe())
      const listed = (yield* send(a, "GET", "/api/v4/browsers")).body["items"] as ReadonlyArray<Record<string, unknown>>
      // the address of one that waits would open nothing
      assert.deepStrictEqual(
        listed.map(({ cdpUrl, liveUrl, status }) => [status, cdpUrl === null, liveUrl === null]),
        [
          ["active", true, true],
          ["active", false, false]
        ]
      )
      yield* stop(a, first.id)
      const { id, status } = yield* Fiber.join(second)
      assert.deepStrictEqual([status, a.running.has(id), a.running.size], [201, true, 1])
    })
  )

  it.live("uses another node that has a free slot first", () =>
    withNodes({ a: { most: 0, queues: true }, b: { most: 1, queues: true } }, function* ({ a, b }) {
      const first = yield* create(b)
      const second = yield* begin(create(a))
      yield* Effect.sleep("100 millis")
      assert.isUndefined(second.pollUnsafe())
      yield* stop(b, first.id)
      const { id, status } = yield* Fiber.join(second)
      assert.deepStrictEqual([status, b.running.has(id), b.running.size], [201, true, 1])
    })
  )

  it.live("replaces the idle browser of another node, whose session has no running run", () =>
    withNodes({ a: { most: 0, queues: true }, b: { most: 1, queues: true } }, function* ({ a, b }, store) {
      const run = yield* send(b, "POST", "/api/v4/runs", { body: { task: "Say hello" } })
      const status = Effect.map(send(b, "GET", `/api/v4/runs/${String(run.body["id"])}`), ({ body }) => body["status"])
      yield* Effect.repeat(Effect.delay(status, "5 millis"), { until: (status) => status === "completed" })
      const [held] = [...b.running.keys()]
      const created = yield* create(a)
      assert.deepStrictEqual([created.status, b.running.has(created.id), b.running.size], [201, true, 1])
      const { rows } = yield* Effect.orDie(store.lists.browsers({}, null, 10))
      assert.strictEqual(rows.find(({ id }) => id === held)?.stopReason, "idle")
    })
  )

  it.live("returns 503 at its time limit if an earlier create with its key still waits at another node", () =>
    withNodes(
      {
        a: { most: 1, room: 0, queues: true, queueTimeout: "1 hour" },
        b: { most: 0, queues: true, queueTimeout: "200 millis" }
      },
      function* ({ a, b }, store) {
        const { id } = yield* create(a)
        const headers = { "idempotency-key": "key" }
        const first = yield* begin(create(a, headers))
        const listed = Effect.map(Effect.orDie(store.lists.browsers({}, null, 10)), ({ rows }) => rows.length)
        yield* Effect.repeat(Effect.delay(listed, "5 millis"), { until: (count) => count === 2 })
        const repeat = yield* send(b, "POST", "/api/v4/browsers", { body: {}, headers })
        assert.deepStrictEqual([repeat.status, repeat.headers["retry-after"]], [503, "1"])
        assert.match(String(repeat.body["detail"]), /^An earlier request with this Idempotency-Key still waits/u)
        yield* stop(a, id)
        const made = yield* Fiber.join(first)
        assert.deepStrictEqual([made.status, (yield* create(b, headers)).id], [201, made.id])
      }
    )
  )

  it.live("leaves the queue when its client closes the connection", () =>
    withNodes({ a: { most: 1, queues: true } }, function* ({ a }, store) {
      const first = yield* create(a)
      const second = yield* begin(create(a))
      const listed = Effect.map(Effect.orDie(store.lists.browsers({}, null, 10)), ({ rows }) => rows.length)
      yield* Effect.sleep("100 millis")
      yield* Fiber.interrupt(second)
      // it leaves no record either
      yield* Effect.repeat(Effect.delay(listed, "5 millis"), { until: (count) => count === 1 })
      yield* stop(a, first.id)
      yield* until(() => a.running.size === 0)
      yield* Effect.sleep("100 millis")
      assert.strictEqual(a.running.size, 0)
    })
  )
})
