import { assert, describe, it, layer } from "@effect/vitest"
import { MemoryStore, Store, StoreUnavailable } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as References from "effect/References"
import * as Monitoring from "../../src/http/Monitoring.ts"
import { send } from "./send.ts"
import { layerOver, layerTest } from "./served.ts"

layer(layerTest, { excludeTestServices: true })("Monitoring", (it) => {
  it.effect("/health says that it is well, without a key", () =>
    Effect.map(send("GET", "/health", { key: null }), ({ body, status }) =>
      assert.deepStrictEqual([status, body], [200, { status: "ok" }])
    )
  )
})

describe("Monitoring", () => {
  const told = (health: Monitoring.HealthView, sample = Effect.void) =>
    Layer.succeed(Monitoring.Monitoring)({ health: Effect.succeed(health), sample })

  it.live("/health is a 503 while the server is to get no requests, and says why", () =>
    Effect.gen(function* () {
      const { body, status } = yield* send("GET", "/health", { key: null })
      assert.deepInclude(yield* send("GET", "/ready", { key: null }), { body, status })
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

  it.live("the log has a line a request at debug, a warning where the server is at fault, and no secret", () => {
    const lines: Array<string> = []
    const logger = Logger.make((options) => void lines.push(Logger.formatLogFmt.log(options)))
    const away = Layer.effect(
      Store,
      Effect.map(Store, (store) => ({
        ...store,
        turn: () => Effect.fail(new StoreUnavailable({ applied: "no", cause: "away" }))
      }))
    ).pipe(Layer.provide(MemoryStore.layer))
    const logged = (level: "Info" | "Debug") =>
      Effect.gen(function* () {
        lines.length = 0
        yield* send("GET", "/share/some-id?token=secret-token", { key: null })
        yield* send("GET", "/live/some-id/secret-token", { key: null })
        yield* send("GET", "/api/v4/runs/some-id?token=secret-token", { key: "secret-key" })
        yield* send("GET", "/api/v4/runs/00000000-0000-4000-8000-000000000001/status")
        yield* send("GET", "/health", { key: null })
        assert.notMatch(lines.join(), /secret|token|wak_test/u)
        return lines.map((line) =>
          /level=(\w+) .*message=(\w+) .*(method=\w+ path=\S+ status=\d+) ms=\d+$/u.exec(line)?.slice(1).join(" ")
        )
      }).pipe(
        Effect.provide(
          layerOver(away).pipe(
            Layer.provide([
              told({ status: "draining" }),
              Logger.layer([logger]),
              Layer.succeed(References.MinimumLogLevel, level)
            ])
          )
        )
      )
    const warning = "WARN Request method=GET path=/api/v4/runs/00000000-0000-4000-8000-000000000001/status status=503"
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* logged("Info"), [warning])
      assert.deepStrictEqual(yield* logged("Debug"), [
        "DEBUG Request method=GET path=/share/some-id status=404",
        "DEBUG Request method=GET path=/live/some-id status=404",
        "DEBUG Request method=GET path=/api/v4/runs/some-id status=401",
        warning,
        "DEBUG Request method=GET path=/health status=503"
      ])
    })
  })
})
