import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Signature from "../../src/nodes/Signature.ts"
import { create, secret, send, until, withNodes } from "./neighbours.ts"

describe("a node's header", () => {
  it.live("is refused if it is forged, expired, reused or for another request", () =>
    withNodes({ a: {}, b: {} }, function* ({ a, b }) {
      const ours = Signature.make(secret, b.id)
      const theirs = Signature.make(Buffer.from("guessed"), b.id)
      const request = { method: "GET", url: "/health" }
      const now_ms = Date.now()
      const answer = (value: string) =>
        Effect.map(send(a, "GET", "/health", { headers: { [Signature.header]: value } }), ({ status }) => status)
      const right = ours.sign(a.id, request, now_ms)
      assert.strictEqual(yield* answer(right), 200)
      assert.strictEqual(yield* answer(right), 403)
      assert.strictEqual(yield* answer(`${right}, ${ours.sign(a.id, request, now_ms)}`), 403)
      assert.strictEqual(yield* answer(theirs.sign(a.id, request, now_ms)), 403)
      assert.strictEqual(yield* answer(ours.sign(a.id, { ...request, url: "/metrics" }, now_ms)), 403)
      assert.strictEqual(yield* answer(ours.sign(a.id, { ...request, method: "POST" }, now_ms)), 403)
      assert.strictEqual(yield* answer(ours.sign(a.id, request, now_ms - 60_000)), 403)
      assert.strictEqual(yield* answer(ours.sign(a.id, request, now_ms + 60_000)), 403)
      assert.strictEqual(yield* answer("x"), 403)
      // another start at the same address
      assert.strictEqual(yield* answer(ours.sign("a.a-2", request, now_ms)), 421)
    })
  )

  it.live("doesn't forward a request twice: it refuses one for a third node, and a create on a full node", () =>
    withNodes({ a: {}, b: { most: 0 }, c: {} }, function* ({ a, b, c }) {
      const { id } = yield* create(a)
      const nodes = Signature.make(secret, c.id)
      const stop = { method: "PATCH", url: `/api/v4/browsers/${id}` }
      const signed = (request: Signature.Signed, body: object) =>
        send(b, request.method, request.url, {
          body,
          headers: { [Signature.header]: nodes.sign(b.id, request, Date.now()) }
        })
      assert.strictEqual((yield* signed(stop, { action: "stop" })).status, 421)
      assert.strictEqual((yield* signed({ method: "POST", url: "/api/v4/browsers" }, {})).status, 429)
      assert.deepStrictEqual([a.running.size, c.running.size], [1, 0])
    })
  )

  it.live("passes the client's origin to the other node, which trusts no client headers", () =>
    withNodes({ a: { most: 0, listen: { trustProxy: ["127.0.0.1"] } }, b: {} }, function* ({ a, b }) {
      const headers = {
        "x-forwarded-for": "203.0.113.9",
        "x-forwarded-proto": "https",
        "x-forwarded-host": "agent.example"
      }
      const create = (node: typeof a) =>
        Effect.map(send(node, "POST", "/api/v4/browsers", { body: {}, headers }), ({ body }) => String(body["cdpUrl"]))
      assert.match(yield* create(a), /^wss:\/\/agent\.example\/api\//u)
      assert.strictEqual(b.running.size, 1)
      assert.isTrue((yield* create(b)).startsWith(b.url.replace(/^http/u, "ws")))
    })
  )

  it.live("puts the client's address and request id in both nodes' logs", () => {
    const lines: Array<string> = []
    const logger = Logger.make((options) => void lines.push(Logger.formatLogFmt.log(options)))
    return withNodes({ a: { most: 0, listen: { trustProxy: ["127.0.0.1"] } }, b: {} }, function* ({ a, b }) {
      const headers = { "x-forwarded-for": "203.0.113.9", "x-request-id": "one" }
      const { status } = yield* send(a, "POST", "/api/v4/browsers", { body: {}, headers })
      assert.strictEqual(status, 201)
      assert.strictEqual(b.running.size, 1)
      const created = () => lines.filter((line) => line.includes("status=201"))
      yield* until(() => created().length === 2)
      for (const line of created()) assert.match(line, / request=one client=203\.0\.113\.9\b/u)
    }).pipe(Effect.provide([Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "Debug" as const)]))
  })
})
