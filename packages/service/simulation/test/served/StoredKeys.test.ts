import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SimulatedService from "../../src/SimulatedService.ts"
import { send } from "../send.ts"

/** As the console asks, which has no key on this machine. */
const ask = (method: string, path: string, body?: object) =>
  send(method, `/console/api${path}`, { key: null, ...(body === undefined ? {} : { body }) })

const create = (name: string, request: object = {}) =>
  Effect.map(ask("POST", "/keys", { name, ...request }), ({ body, status }) => {
    assert.strictEqual(status, 201)
    return String(body["secret"])
  })

const unlimited = { runs: null, browsers: null, requestsPerMinute: null, usdPerDay: null }

const start = (key: string) => send("POST", "/api/v4/runs", { key, body: { task: "x" } })

layer(Layer.orDie(SimulatedService.layer({ turnDuration: "1 hour" })), { excludeTestServices: true })(
  "keys of a simulated service",
  (it) => {
    it.effect("sees its own runs, and the service's key sees all runs", () =>
      Effect.gen(function* () {
        const [shop, blog] = [yield* create("shop"), yield* create("blog")]
        const { body, status } = yield* start(shop)
        assert.strictEqual(status, 201)
        const read = (key: string) => send("GET", `/api/v4/runs/${String(body["id"])}`, { key })
        assert.deepStrictEqual(
          [(yield* read(shop)).status, (yield* read(blog)).status, (yield* read("wak_test")).status],
          [200, 404, 200]
        )
        const taken = yield* ask("POST", "/keys", { name: "shop" })
        assert.strictEqual(taken.status, 409)
      })
    )

    it.effect("is refused without the scope, above its limits, and once it's rotated or revoked", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* start(yield* create("reader", { scopes: ["read"] }))).status, 403)
        const one = yield* create("one", { limits: { ...unlimited, runs: 1 } })
        assert.deepStrictEqual([(yield* start(one)).status, (yield* start(one)).status], [201, 429])
        const few = yield* create("few", { limits: { ...unlimited, requestsPerMinute: 2 } })
        const statuses = yield* Effect.replicateEffect(send("GET", "/api/v4/runs/none", { key: few }), 3)
        assert.deepStrictEqual(statuses.map(({ status }) => status).slice(2), [429])
        const rotated = yield* ask("POST", "/keys/one/rotate")
        const next = String(rotated.body["secret"])
        assert.deepStrictEqual([(yield* start(one)).status, (yield* start(next)).status], [401, 429])
        assert.strictEqual((yield* ask("PUT", "/keys/one/limits", unlimited)).status, 200)
        assert.strictEqual((yield* start(next)).status, 201)
        assert.strictEqual((yield* ask("POST", "/keys/one/revoke")).status, 200)
        assert.strictEqual((yield* start(next)).status, 401)
        assert.strictEqual((yield* ask("POST", "/keys/one/revoke")).status, 404)
      })
    )

    it.effect("gets exactly as many runs and browsers as its limits allow, out of 50 simultaneous requests", () =>
      Effect.gen(function* () {
        const key = yield* create("many", { limits: { ...unlimited, runs: 7, browsers: 3 } })
        const created = (path: string, body: object) =>
          Effect.map(
            Effect.forEach(Array.from({ length: 50 }), () => send("POST", path, { key, body }), {
              concurrency: "unbounded"
            }),
            (answers) => [201, 429].map((wanted) => answers.filter(({ status }) => status === wanted).length)
          )
        assert.deepStrictEqual(yield* created("/api/v4/runs", { task: "x" }), [7, 43])
        assert.deepStrictEqual(yield* created("/api/v4/browsers", {}), [3, 47])
      })
    )
  }
)
