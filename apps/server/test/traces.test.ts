import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import { join } from "node:path"
import { folder, ready, run, send, start, until } from "./program.ts"

const key = "wak_traces_secret"

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: Readonly<Record<string, unknown>> }>
}

interface Export {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: Span["attributes"] }
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }>
  }>
}

const valueOf = (of: Pick<Span, "attributes"> | undefined, name: string) =>
  Object.values(of?.attributes.find(({ key }) => key === name)?.value ?? {})[0]

/** A collector that keeps what it receives. */
const collector = Effect.acquireRelease(
  Effect.callback<{
    readonly url: string
    readonly texts: Array<string>
    readonly headers: Array<unknown>
    readonly close: () => void
  }>((resume) => {
    const texts: Array<string> = []
    const headers: Array<unknown> = []
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (chunk) => (body += String(chunk)))
      request.on("end", () => {
        if (request.url === "/v1/traces") {
          texts.push(body)
          headers.push(request.headers["x-tenant"])
        }
        response.writeHead(200, { "content-type": "application/json" }).end("{}")
      })
    }).listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const close = () => {
        server.close()
        server.closeAllConnections()
      }
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, texts, headers, close }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

const serving = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
  const file = join(yield* folder, "server.db")
  const program = yield* start(["serve", "--port=0", `--data=${file}`, `--api-key=${key}`], environment)
  const { v4 } = yield* ready(program)
  return { program, v4 }
})

const finishedRun = Effect.fnUntraced(function* (
  v4: string | undefined,
  headers: Readonly<Record<string, string>> = {}
) {
  const task = "Find the teapot of Mrs. Hudson [simulate output=done duration=100ms]"
  const { body } = yield* send(v4, key, "POST", "/runs", { task }, headers)
  const id = String(body["id"])
  return yield* until(send(v4, key, "GET", `/runs/${id}`), ({ body }) => body["status"] === "completed")
})

const stop = Effect.fnUntraced(function* ({ program }: Effect.Success<ReturnType<typeof serving>>) {
  program.process.kill("SIGTERM")
  return yield* program.ended
})

describe("traces of a server", () => {
  it.live("join a client's trace with the request, the run, its commits and its browser", () =>
    Effect.gen(function* () {
      const { headers, texts, url } = yield* collector
      const server = yield* serving({
        OTEL_EXPORTER_OTLP_ENDPOINT: url,
        OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=shop",
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test"
      })
      const traceId = "0af7651916cd43dd8448eb211c80319c"
      const { body } = yield* finishedRun(server.v4, { traceparent: `00-${traceId}-b7ad6b7169203331-01` })
      const { body: browser } = yield* send(server.v4, key, "POST", "/browsers", {})
      yield* send(server.v4, key, "PATCH", `/browsers/${String(browser["id"])}`, { action: "stop" })
      yield* send(server.v4, key, "GET", "/runs/teapot?token=teapot")
      yield* send(server.v4?.replace("/api/v4", "/admin/v1"), key, "GET", "/webhooks/teapot/deliveries")
      assert.strictEqual((yield* stop(server)).code, 0)

      const exports = texts.map((text) => JSON.parse(text) as Export).flatMap(({ resourceSpans }) => resourceSpans)
      for (const { resource } of exports) {
        assert.strictEqual(valueOf(resource, "service.name"), "webagent-server")
        assert.strictEqual(valueOf(resource, "deployment.environment.name"), "test")
      }
      assert.strictEqual(headers[0], "shop")
      const spans = exports.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
      const trace = spans.filter((span) => span.traceId === traceId)
      const request = trace.find(({ name }) => name === "POST /api/v4/runs")
      const ran = trace.find(({ name }) => name === "run")
      assert.strictEqual(request?.parentSpanId, "b7ad6b7169203331")
      assert.strictEqual(ran?.parentSpanId, request?.spanId)
      assert.strictEqual(valueOf(ran, "webagent.run.id"), body["id"])
      assert.strictEqual(valueOf(ran, "webagent.run.status"), "completed")
      const commitsOf = (span: Span | undefined) =>
        spans.filter(({ name, parentSpanId }) => name === "commit" && parentSpanId === span?.spanId)
      assert.isNotEmpty(commitsOf(request))
      assert.isAtLeast(commitsOf(ran).length, 2)
      const create = spans.find(({ name }) => name === "POST /api/v4/browsers")
      const launch = spans.find(({ name }) => name === "launch browser")
      assert.strictEqual(launch?.parentSpanId, create?.spanId)
      assert.isNotEmpty(spans.filter(({ name }) => /^GET \/api\/v4\/runs\/:\w+$/u.test(name)))
      assert.isNotEmpty(spans.filter(({ name }) => /^GET \/admin\/v1\/webhooks\/:\w+\/deliveries$/u.test(name)))
      // neither the key nor the task nor a query
      for (const secret of [key, "Hudson", "token=teapot"]) assert.notInclude(texts.join(""), secret)
    })
  )

  it.live("have a span with each run's outcome, even of one that waited for the run before it", () =>
    Effect.gen(function* () {
      const { texts, url } = yield* collector
      const server = yield* serving({ OTEL_EXPORTER_OTLP_ENDPOINT: url })
      const create = (fields: object) =>
        Effect.map(
          send(server.v4, key, "POST", "/runs", { task: "Find a mug [simulate duration=500ms]", ...fields }),
          ({ body }) => body
        )
      const first = yield* create({})
      const second = yield* create({ sessionId: first["sessionId"] })
      yield* until(send(server.v4, key, "GET", `/runs/${String(second["id"])}`), ({ body }) => {
        return body["status"] === "completed"
      })
      assert.strictEqual((yield* stop(server)).code, 0)
      const exports = texts.map((text) => JSON.parse(text) as Export).flatMap(({ resourceSpans }) => resourceSpans)
      const runs = exports
        .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
        .filter(({ name }) => name === "run")
      assert.deepStrictEqual(
        runs.map((span) => [valueOf(span, "webagent.run.id"), valueOf(span, "webagent.run.status")]),
        [
          [first["id"], "completed"],
          [second["id"], "completed"]
        ]
      )
      assert.deepStrictEqual(
        runs.map((span) => valueOf(span, "error.type")),
        [undefined, undefined]
      )
    })
  )

  it.live("are dropped with one warning while no collector responds, and every run completes", () =>
    Effect.gen(function* () {
      const { close, url } = yield* collector
      close()
      const server = yield* serving({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: "20" })
      yield* Effect.forEach([1, 2, 3], () => finishedRun(server.v4))
      // beyond the exporter's three retries, one second apart
      yield* Effect.sleep("4 seconds")
      yield* finishedRun(server.v4)
      const { code, stderr } = yield* stop(server)
      assert.strictEqual(code, 0)
      assert.lengthOf(stderr.match(/Cannot send traces/gu) ?? [], 1, stderr)
    })
  )

  it.live("are refused with an invalid address, protocol or contents", () =>
    Effect.gen(function* () {
      const serve = (environment: Readonly<Record<string, string>>) =>
        run(["serve", "--port=0", "--api-key=K", "--data=/dev/null/server.db"], environment)
      const address = yield* serve({ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" })
      assert.include(address.stderr, "must be the address of a collector such as http://127.0.0.1:4318.")
      const protocol = yield* serve({
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4317",
        OTEL_EXPORTER_OTLP_PROTOCOL: "grpc"
      })
      assert.include(protocol.stderr, "OTEL_EXPORTER_OTLP_PROTOCOL is grpc. Use http/json or http/protobuf")
      const contents = yield* serve({
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318",
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "EVENT_ONLY"
      })
      assert.include(contents.stderr, "CAPTURE_MESSAGE_CONTENT is EVENT_ONLY. Use SPAN_ONLY")
    })
  )
})
