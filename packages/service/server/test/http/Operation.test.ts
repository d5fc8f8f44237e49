import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Operation from "../../src/http/Operation.ts"
import { send } from "./send.ts"
import { layerTest } from "./served.ts"

layer(layerTest, { excludeTestServices: true })("Operation", (it) => {
  it.effect("/health says that it is well, without a key", () =>
    Effect.map(send("GET", "/health", { key: null }), ({ body, status }) =>
      assert.deepStrictEqual([status, body], [200, { status: "ok" }])
    )
  )
})

describe("Operation", () => {
  const told = (health: Operation.HealthView, sample = Effect.void) =>
    Layer.succeed(Operation.Operation)({ health: Effect.succeed(health), sample })

  it.live("/health is a 503 while the server is to get no requests, and says why", () =>
    Effect.gen(function* () {
      const { body, status } = yield* send("GET", "/health", { key: null })
      assert.deepStrictEqual([status, body], [503, { status: "draining", running: 2 }])
    }).pipe(Effect.provide(layerTest.pipe(Layer.provide(told({ status: "draining", running: 2 })))))
  )

  it.live("/metrics has the gauges as they are at the moment, and every request without its path", () => {
    let at = 0
    const gauge = Metric.gauge("webagent_test_gauge", { description: "A gauge of a test" })
    const sample = Effect.suspend(() => Metric.update(gauge, ++at))
    return Effect.gen(function* () {
      yield* send("GET", "/api/v4/runs/secret-id", {})
      yield* send("DELETE", "/nowhere", {})
      yield* send("GET", "/metrics", { key: null })
      const { headers, status, text } = yield* send("GET", "/metrics", { key: null })
      assert.strictEqual(status, 200)
      assert.match(headers.get("content-type") ?? "", /^text\/plain/u)
      const lines = text.split("\n")
      assert.include(lines, "# HELP webagent_test_gauge A gauge of a test")
      assert.include(lines, "webagent_test_gauge 2")
      const counted = lines.filter((line) => line.startsWith("webagent_http_requests_total{"))
      assert.isTrue(
        counted.some((line) => /version="v4",method="GET",status="404"\} [1-9]/u.test(line)),
        text
      )
      assert.isTrue(
        counted.some((line) => /version="other",method="other",status="404"\} [1-9]/u.test(line)),
        text
      )
      assert.match(text, /webagent_http_request_duration_seconds_count\{version="v4",method="GET"\} [1-9]/u)
      assert.notInclude(text, "secret-id")
    }).pipe(Effect.provide(layerTest.pipe(Layer.provide(told({ status: "ok" }, sample)))))
  })
})
