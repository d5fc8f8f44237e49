import { assert, describe, it } from "@effect/vitest"
import { V4Operations } from "@webagent/contract/v4"
import { type Answer, ScriptedServer } from "@webagent/scripted-server"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { ClientConfig, ContractClient, Metrics, Trace, Transport } from "../src/index.ts"
import { layer } from "./client.ts"

const getRun = Effect.flatMap(ContractClient.make("v4", V4Operations), (api) =>
  api.runs.get({ params: { run_id: "r 1" } })
)
const createBrowser = Effect.flatMap(ContractClient.make("v4", V4Operations), (api) =>
  api.browsers.create({ payload: {} })
)

const answering = (...answers: ReadonlyArray<Answer>) =>
  Effect.map(ScriptedServer, (server) => {
    server.script = (_, count) => answers[Math.min(count, answers.length) - 1] ?? {}
    return server
  })

const recorder = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { spans, tracer }
}

const run = { id: "r 1", status: "running" }

describe("spans", () => {
  it.live("are one per attempt, with OpenTelemetry's names, without the query and the key", () => {
    const { spans, tracer } = recorder()
    return Effect.gen(function* () {
      const server = yield* answering({ status: 503 }, (response) => response.destroy(), { json: run })
      const { port } = new URL(server.address)
      yield* getRun.pipe(Trace.span("call"), Effect.withTracer(tracer))
      const attributes = spans.map((span) => Object.fromEntries(span.attributes))
      const common = {
        "http.request.method": "GET",
        "server.address": "127.0.0.1",
        "server.port": Number(port),
        "url.full": `${server.address}/api/v4/runs/r%201`,
        "webagent.request.id": server.requests[0]?.headers["x-request-id"]
      }
      assert.deepStrictEqual(attributes, [
        {},
        { ...common, "http.response.status_code": 503, "error.type": "503" },
        { ...common, "http.request.resend_count": 1, "error.type": "ConnectionFailed" },
        { ...common, "http.request.resend_count": 2, "http.response.status_code": 200 }
      ])
      assert.deepStrictEqual(
        spans.map((span) => [span.name, span.kind]),
        [
          ["call", "internal"],
          ["GET", "client"],
          ["GET", "client"],
          ["GET", "client"]
        ]
      )
    }).pipe(Effect.provide(layer()))
  })

  it.live("include the span of an attempt around an application's HttpClient", () => {
    const { spans, tracer } = recorder()
    const around: Array<unknown> = []
    const client = HttpClient.make((request) =>
      Effect.map(Effect.serviceOption(Tracer.ParentSpan), (span) => {
        around.push(Option.getOrUndefined(span))
        return HttpClientResponse.fromWeb(request, Response.json(run))
      })
    )
    return Effect.gen(function* () {
      yield* getRun.pipe(Effect.withTracer(tracer))
      assert.deepStrictEqual(
        spans.map(({ kind }) => kind),
        ["client"]
      )
      assert.strictEqual(around[0], spans[0])
    }).pipe(
      Effect.provide(Transport.layer),
      Effect.provide(ClientConfig.layer({ baseUrl: "http://a.example", apiKey: "k" })),
      Effect.provide(Layer.succeed(HttpClient.HttpClient, client))
    )
  })

  it.effect("have one parent per stream, which ends with the stream", () => {
    const { spans, tracer } = recorder()
    return Effect.gen(function* () {
      const stream = Stream.fromEffect(Trace.span("poll")(Effect.succeed(1))).pipe(Trace.streamSpan("watch"))
      assert.deepStrictEqual(Array.from(yield* Stream.runCollect(stream)), [1])
      assert.lengthOf(spans, 0)
      yield* Stream.runDrain(stream).pipe(Effect.withTracer(tracer))
      assert.deepStrictEqual(
        spans.map(({ name, parent, status }) => [name, Option.getOrUndefined(parent)?.spanId, status._tag]),
        [
          ["watch", undefined, "Ended"],
          ["poll", spans[0]?.spanId, "Ended"]
        ]
      )
    })
  })

  it.live("are absent without a tracer, or if tracing is off", () => {
    const { spans, tracer } = recorder()
    return Effect.gen(function* () {
      yield* answering({ json: run })
      const parent = yield* getRun.pipe(Effect.andThen(Effect.option(Effect.currentSpan)), Trace.span("call"))
      assert.strictEqual(parent._tag, "None")
      yield* getRun.pipe(
        Trace.span("call"),
        Effect.withTracer(tracer),
        Effect.provideService(References.TracerEnabled, false)
      )
      assert.strictEqual(spans.length, 0)
    }).pipe(Effect.provide(layer()))
  })
})

describe("without a tracer", () => {
  it.live("an attempt has no span", () => {
    const around: Array<string> = []
    const client = HttpClient.make((request) =>
      Effect.map(Effect.option(Effect.currentSpan), ({ _tag }) => {
        around.push(_tag)
        return HttpClientResponse.fromWeb(request, Response.json(run))
      })
    )
    return Effect.gen(function* () {
      yield* getRun
      yield* getRun.pipe(Effect.withTracer(recorder().tracer))
      assert.deepStrictEqual(around, ["None", "Some"])
    }).pipe(
      Effect.provide(Transport.layer),
      Effect.provide(ClientConfig.layer({ baseUrl: "http://a.example", apiKey: "k" })),
      Effect.provide(Layer.succeed(HttpClient.HttpClient, client))
    )
  })
})

describe("metrics", () => {
  it.live("count attempts by method and outcome, retries, durations and open browsers", () =>
    Effect.gen(function* () {
      yield* answering({ status: 503 }, { status: 429 }, (response) => response.destroy(), { json: run })
      yield* getRun
      const { address } = yield* ScriptedServer
      const ends = [
        [200, "2xx"],
        [429, "4xx"],
        [503, "5xx"],
        [0, "ConnectionFailed"]
      ] as const
      const counts = yield* Effect.forEach(ends, ([status, outcome]) => {
        const { duration, requests } = Metrics.attempts("GET", `${address}/elsewhere`, status, outcome)
        return Effect.all([Metric.value(requests), Metric.value(duration)])
      })
      assert.deepStrictEqual(
        counts.map(([requests, duration]) => [requests.count, duration.count]),
        ends.map(() => [1, 1])
      )
      assert.strictEqual((yield* Metric.value(Metrics.retries)).count, 2)
      assert.strictEqual((yield* Metric.value(Metrics.throttledRetries)).count, 1)

      const { closed } = yield* Transport
      yield* answering({ json: { id: "b-1", cdpUrl: "ws://b" } })
      yield* createBrowser
      assert.strictEqual((yield* Metric.value(Metrics.browsersOpen)).value, 1)
      yield* closed("browser", "b-1")
      yield* closed("browser", "b-1")
      assert.strictEqual((yield* Metric.value(Metrics.browsersOpen)).value, 0)
      assert.notInclude(yield* Metric.dump, "canary")
    }).pipe(Effect.provide(layer()), Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})

describe("the duration of requests", () => {
  it.live("has OpenTelemetry's attributes, and no path, id or key", () =>
    Effect.gen(function* () {
      const server = yield* answering({ status: 503 }, (response) => response.destroy(), { json: run })
      yield* getRun
      const told = (yield* Metric.snapshot).flatMap(({ attributes, id }) =>
        id === "http.client.request.duration" ? [attributes] : []
      )
      const every = {
        unit: "s",
        "http.request.method": "GET",
        "server.address": "127.0.0.1",
        "server.port": new URL(server.address).port
      }
      assert.sameDeepMembers(
        [...told],
        [
          { ...every, "http.response.status_code": "503", "error.type": "503" },
          { ...every, "error.type": "ConnectionFailed" },
          { ...every, "http.response.status_code": "200" }
        ]
      )
    }).pipe(Effect.provide(layer()), Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it("names the host, and the default port of the protocol", () => {
    const serverOf = (url: string) => {
      const { duration } = Metrics.attempts("GET", url, 200, "2xx")
      const { "server.address": address, "server.port": port } = { ...duration.attributes } as Record<string, string>
      return [address, port]
    }
    assert.deepStrictEqual(serverOf("https://agents.example.com/api/v4/runs"), ["agents.example.com", "443"])
    assert.deepStrictEqual(serverOf("http://agents.example.com/api/v4/runs"), ["agents.example.com", "80"])
    assert.deepStrictEqual(serverOf("https://[::1]:8443/api/v4/runs"), ["::1", "8443"])
  })
})

describe("the log", () => {
  it.live("has a debug line per attempt, and none at higher levels", () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
    return Effect.gen(function* () {
      const server = yield* answering({ status: 503 }, (response) => response.destroy(), { json: run })
      yield* getRun
      assert.deepStrictEqual(lines, [])
      yield* answering({ status: 503 }, (response) => response.destroy(), { json: run })
      server.requests.length = 0
      yield* getRun.pipe(Effect.provideService(References.MinimumLogLevel, "Debug"))
      const id = server.requests[0]?.headers["x-request-id"]
      const expected = [
        ["503", 1],
        ["ConnectionFailed", 2],
        ["200", 3]
      ]
      assert.strictEqual(lines.length, 3)
      for (const [index, [outcome, attempt]] of expected.entries()) {
        const line = (lines[index] ?? "").replace(/ in \d+ ms/u, "")
        assert.strictEqual(
          line,
          `Debug GET ${server.address}/api/v4/runs/r%201: ${outcome}, attempt ${attempt}, request ${id}`
        )
      }
    }).pipe(Effect.provide(layer()), Effect.provide(Logger.layer([logger])))
  })
})
