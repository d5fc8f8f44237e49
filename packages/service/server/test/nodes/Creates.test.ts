import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { connect, create, limitedKey, met, send, start, until, withNodes, withStore } from "./neighbours.ts"

describe("a create on a full node", () => {
  it.live("goes to the node with the most free slots, and is refused if there are none", () =>
    withNodes({ a: { most: 1 }, b: { most: 1 }, c: { most: 3 } }, function* ({ a, b, c }) {
      const first = yield* create(a)
      const second = yield* create(a)
      assert.deepStrictEqual([a.running.size, b.running.size, c.running.size], [1, 0, 1])
      assert.isTrue(a.running.has(first.id))
      assert.isTrue(c.running.has(second.id))
      const client = yield* connect(a, second.cdp)
      client.socket.send("1")
      yield* until(() => client.heard.length === 1)
      // all at once: what the nodes say of their room is older than what they have
      const more = yield* Effect.all(
        Array.from({ length: 6 }, () => create(a)),
        { concurrency: "unbounded" }
      )
      const made = more.filter(({ status }) => status === 201)
      assert.strictEqual(made.length, 3)
      assert.deepStrictEqual([a.running.size, b.running.size, c.running.size], [1, 1, 3])
      for (const { detail, status } of more.filter((one) => !made.includes(one))) {
        assert.deepStrictEqual([status, detail], [429, "All 1 browsers of a are in use"])
      }
    })
  )

  it.live("goes to another node if the chosen one has no slot left", () =>
    withNodes({ a: { most: 0, room: 1 }, b: { most: 0, room: 5 }, c: { most: 1 } }, function* ({ a, b, c }) {
      const { status } = yield* create(a)
      assert.deepStrictEqual([status, a.running.size, b.running.size, c.running.size], [201, 0, 0, 1])
    })
  )

  for (const most of [1, 0]) {
    const taker = most === 1 ? "a third node" : "its own node"
    it.live(`keeps its body for ${taker} after an unreachable node and one without a slot left`, () =>
      withNodes(
        {
          a: { most: 1, room: 0 },
          gone: { address: "http://127.0.0.1:1", room: 9 },
          full: { most: 0, room: 5 },
          c: { most }
        },
        function* ({ a, c }, store) {
          const { body, status } = yield* send(a, "POST", "/api/v4/browsers", { body: { enableRecording: true } })
          assert.strictEqual(status, 201)
          const browser = Option.getOrThrow(yield* Effect.orDie(store.browser(String(body["id"]))))
          assert.deepInclude(browser, { node: most === 1 ? c.id : a.id, recording: true })
        }
      )
    )
  }

  it.live("isn't forwarded again if another node refuses it for a key limit", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const { auth, counted } = limitedKey({ browsers: 1 }, { browsers: 2 })
        const a = yield* start(store, "a", { most: 0, auth })
        yield* start(store, "b", { most: 2, auth })
        yield* start(store, "c", { most: 1, auth })
        yield* met(store, 3)
        const { detail, status } = yield* create(a)
        assert.deepStrictEqual(
          [status, detail],
          [429, "This API key has reached its limit of 1 open browser. Stop one, or raise the limit"]
        )
        assert.strictEqual(counted.creates, 1)
      })
    )
  )

  it.live("counts once toward its key's requests, however many nodes are tried", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const { auth, counted } = limitedKey({ requestsPerMinute: 60 })
        const full = yield* start(store, "full", { most: 0, auth })
        const late = yield* start(store, "late", { most: 0, room: 5, auth })
        yield* start(store, "last", { most: 2, auth })
        yield* met(store, 3)
        assert.strictEqual((yield* create(full)).status, 201)
        assert.strictEqual(counted.requests, 1)
        assert.strictEqual((yield* create(late)).status, 201)
        assert.strictEqual(counted.requests, 2)
        assert.strictEqual((yield* create(full)).status, 429)
        assert.strictEqual(counted.requests, 3)
        // a fast read that finds nothing becomes an operation
        assert.strictEqual((yield* send(full, "GET", `/api/v4/runs/${crypto.randomUUID()}`)).status, 404)
        assert.strictEqual(counted.requests, 4)
      })
    )
  )

  it.live("goes to another node as soon as its own drains", () =>
    withNodes({ a: {}, b: {} }, function* ({ a, b }, store) {
      yield* Effect.orDie(store.drain(a.id))
      const { status } = yield* create(a)
      assert.deepStrictEqual([status, a.running.size, b.running.size], [201, 0, 1])
    })
  )

  it.live("is refused with 503 while every node drains, and works again after that", () =>
    withNodes({ a: {}, b: {} }, function* ({ a, b }, store) {
      yield* Effect.orDie(store.drain(a.id))
      yield* Effect.orDie(store.drain(b.id))
      const run = send(a, "POST", "/api/v4/runs", { body: { task: "look" } })
      for (const create of [run, send(a, "POST", "/api/v4/browsers", { body: {} })]) {
        const { body, headers, status } = yield* create
        assert.deepStrictEqual([status, headers["retry-after"]], [503, "1"])
        assert.include(String(body["detail"]), "draining")
      }
      yield* Effect.orDie(store.drain(b.id, false))
      const stored = yield* run
      assert.strictEqual(stored.status, 201)
      const { sessionId } = stored.body
      const message = { text: "more", interrupt: false }
      const queued = yield* send(a, "POST", `/api/v4/sessions/${String(sessionId)}/queue`, { body: message })
      assert.strictEqual(queued.status, 201)
      const ended = Effect.map(send(a, "GET", `/api/v4/runs/${String(stored.body["id"])}`), ({ body }) => body)
      const { result } = yield* Effect.repeat(ended, { until: ({ status }) => status === "completed" })
      assert.strictEqual(result, "b: look")
      assert.strictEqual(a.running.size, 0)
    })
  )

  it.live("creates one resource, however often its key arrives and at whichever node", () =>
    withNodes({ a: { most: 0 }, b: { most: 4 } }, function* ({ a, b }) {
      const headers = { "idempotency-key": "once" }
      const made = yield* Effect.all([create(a, headers), create(b, headers), create(a, headers)], { concurrency: 3 })
      assert.strictEqual(new Set(made.map(({ id }) => id)).size, 1)
      assert.strictEqual(b.running.size, 1)
    })
  )

  it.live("carries out its run on the node with a free slot", () =>
    withNodes({ a: { most: 0 }, b: {} }, function* ({ a, b }) {
      const run = yield* send(a, "POST", "/api/v4/runs", { body: { task: "look" } })
      const ended = Effect.map(send(a, "GET", `/api/v4/runs/${String(run.body["id"])}`), ({ body }) => body)
      const { result } = yield* Effect.repeat(ended, { until: ({ status }) => status === "completed" })
      assert.strictEqual(result, "b: look")
      assert.strictEqual(b.running.size, 1)
    })
  )
})
