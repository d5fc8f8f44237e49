import { assert, describe, it, layer } from "@effect/vitest"
import { type ApiKey, ApiKeys, MemoryStore, Store, StoreUnavailable } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as ApiKeyAuth from "../../../src/http/policy/ApiKeyAuth.ts"
import * as Monitoring from "../../../src/http/endpoints/Monitoring.ts"
import { send } from "../send.ts"
import { layerOver, layerTest } from "../served.ts"

layer(layerTest, { excludeTestServices: true })("Monitoring", (it) => {
  it.effect("/health returns ok without a key", () =>
    Effect.map(send("GET", "/health", { key: null }), ({ body, status }) =>
      assert.deepStrictEqual([status, body], [200, { status: "ok" }])
    )
  )
})

describe("Monitoring", () => {
  const told = (health: Monitoring.HealthView, sample = Effect.void) =>
    Layer.succeed(Monitoring.Monitoring)({ health: Effect.succeed(health), sample })

  for (const path of ["/health", "/ready"]) {
    it.live(`${path} returns 503 while the server takes no requests, and shows details only with a valid key`, () =>
      Effect.gen(function* () {
        for (const key of [null, "", "wak_wrong"]) {
          const { body, status } = yield* send("GET", path, { key })
          assert.deepStrictEqual([status, body], [503, { status: "draining" }])
        }
        const { body, status } = yield* send("GET", path)
        assert.deepStrictEqual([status, body], [503, { status: "draining", running: 2 }])
      }).pipe(Effect.provide(layerTest.pipe(Layer.provide(told({ status: "draining", running: 2 })))))
    )
  }

  it.live(
    "/health shows details to a key without the scope read, doesn't count its requests, and survives an outage",
    () => {
      let counted = 0
      let isAway = false
      const key = {
        name: "runner",
        prefix: "wak_",
        scopes: ["runs"],
        limits: { runs: null, browsers: null, requestsPerMinute: 1, usdPerDay: null },
        createdAt_ms: 0,
        revokedAt_ms: null,
        lastUsedAt_ms: null
      } satisfies ApiKey
      const keys = Layer.succeed(ApiKeys, {
        create: () => Effect.die("not used"),
        rotate: () => Effect.die("not used"),
        setLimits: () => Effect.die("not used"),
        list: Effect.succeed([key]),
        revoke: () => Effect.succeed(key),
        find: () => Effect.suspend(() => (isAway ? Effect.never : Effect.succeed(Option.some(key)))),
        named: () => Effect.succeed(Option.none()),
        revokedOf: () => Effect.succeed(new Set<string>()),
        usage: () => Effect.succeed({ runs: 0, browsers: 0, usd: 0 }),
        countRequest: () => Effect.sync(() => ++counted)
      })
      return Effect.gen(function* () {
        const health = Effect.map(send("GET", "/health"), ({ body, status }) => [status, body])
        assert.deepStrictEqual(yield* health, [200, { status: "ok", running: 2 }])
        assert.deepStrictEqual(yield* health, [200, { status: "ok", running: 2 }])
        assert.strictEqual(counted, 0)
        isAway = true
        assert.deepStrictEqual(yield* health, [200, { status: "ok" }])
      }).pipe(
        Effect.provide(
          layerOver(MemoryStore.layer, { auth: Layer.provide(ApiKeyAuth.layerManaged(), keys) }).pipe(
            Layer.provide(told({ status: "ok", running: 2 }))
          )
        )
      )
    }
  )

  it.live("/metrics has the current gauges, and counts every request without its path", () => {
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

  it.live("logs one line per request at debug, a warning for a server error, and no secret", () => {
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
          /level=(\w+) .*message=("[^"]+"|\w+) .*(method=\w+ path=\S+ status=\d+) ms=\d+ request=[\w.:-]+ client=(?:127\.0\.0\.1|::ffff:127\.0\.0\.1)( key=key:[0-9a-f]{16})?$/u
            .exec(line)
            ?.slice(1, 4)
            .join(" ")
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
      const refusal = 'INFO "Refused an API key" method=GET path=/api/v4/runs/some-id status=401'
      assert.deepStrictEqual(yield* logged("Info"), [refusal, warning])
      assert.deepStrictEqual(yield* logged("Debug"), [
        "DEBUG Request method=GET path=/share/some-id status=404",
        "DEBUG Request method=GET path=/live/some-id status=404",
        refusal,
        warning,
        "DEBUG Request method=GET path=/health status=503"
      ])
    })
  })

  it.live("logs the key, the client and the id of a request, and the response has the same id", () => {
    const lines: Array<string> = []
    const logger = Logger.make((options) => void lines.push(Logger.formatLogFmt.log(options)))
    return Effect.gen(function* () {
      const own = yield* send("GET", "/api/v4/runs/some-id", { headers: { "x-request-id": "proxy-1" } })
      assert.strictEqual(own.headers.get("x-request-id"), "proxy-1")
      const forged = yield* send("GET", "/api/v4/runs/some-id", { headers: { "x-request-id": "a level=ERROR" } })
      const id = forged.headers.get("x-request-id") ?? ""
      assert.match(id, /^[0-9a-z]{8,}$/u)
      const shown = lines.map((line) => / status=404 ms=\d+ (request=.*)$/u.exec(line)?.[1])
      const rest = "client=127.0.0.1 key=key:"
      assert.isTrue(shown[0]?.startsWith(`request=proxy-1 ${rest}`), lines.join("\n"))
      assert.isTrue(shown[1]?.startsWith(`request=${id} ${rest}`), lines.join("\n"))
    }).pipe(
      Effect.provide(
        layerTest.pipe(
          Layer.provide([Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "Debug" as const)])
        )
      )
    )
  })

  it.live("logs at most 60 refused keys per minute, then their number, and no key", () => {
    const lines: Array<string> = []
    const logger = Logger.make((options) => void lines.push(Logger.formatLogFmt.log(options)))
    const refused = Effect.forEach(
      Array.from({ length: 70 }, (_, at) => at),
      (at) => send("GET", `/api/v4/runs/wak_leaked${at}`, { key: `wak_wrong${at}` }),
      { concurrency: 8 }
    )
    let now_ms = 60_000_000
    return Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const stopped: Clock.Clock = Object.create(clock, { currentTimeMillisUnsafe: { value: () => now_ms } })
      yield* Effect.gen(function* () {
        const responses = yield* refused
        assert.isTrue(responses.every(({ status }) => status === 401))
        assert.lengthOf(lines, 60)
        assert.match(
          lines[0] ?? "",
          /message="Refused an API key" .*path=\/api\/v4\/runs\/\[key\] .*client=127\.0\.0\.1$/u
        )
        now_ms += 60_000
        yield* send("GET", "/health", { key: null })
        assert.match(lines[60] ?? "", /message="Refused 10 more API keys /u)
        yield* refused
        assert.lengthOf(lines, 121)
        assert.notMatch(lines.join(), /leaked|wrong/u)
      }).pipe(
        Effect.provide(layerTest.pipe(Layer.provide([Logger.layer([logger]), Layer.succeed(Clock.Clock, stopped)])))
      )
    })
  })
})
