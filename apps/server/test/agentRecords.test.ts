import { assert } from "@effect/vitest"
import { ScriptedModel } from "@webagent/scripted-model"
import * as Effect from "effect/Effect"
import { call, create, ended, key, modelFlags, numberOf, script, serve, site, test } from "./modelServer.ts"
import { folder, send, until } from "./program.ts"

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
}

test(
  "the agent's span is a child of the run's span, in the trace of the client",
  Effect.gen(function* () {
    const model = yield* ScriptedModel
    const pages = yield* site({ shop: "<button>Pay</button>" })
    const collector = yield* site({ "v1/traces": "" })
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.address, OTEL_BSP_SCHEDULE_DELAY: "50" }
    const server = yield* serve([pages], modelFlags(model), environment)
    script(
      model,
      call("navigate", { url: `${pages.address}/shop` }),
      (now) => call("click", { index: numberOf(now, "Pay") }),
      call("done", { success: true, output: "paid" })
    )
    const traceId = "0af7651916cd43dd8448eb211c80319c"
    const { body } = yield* send(
      server.v4,
      key,
      "POST",
      "/runs",
      { task: "Pay" },
      { traceparent: `00-${traceId}-b7ad6b7169203331-01` }
    )
    assert.strictEqual((yield* ended(server.v4, body["id"])).body["status"], "completed")
    const spans = (): ReadonlyArray<Span> =>
      collector.requests
        .filter(({ url }) => url === "/v1/traces")
        .flatMap(({ body }) => JSON.parse(String(body)).resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans)
        .filter((span) => span.traceId === traceId)
    const named = (name: string) => spans().find((span) => span.name.startsWith(name))
    const isExported = () => named("run") !== undefined && named("POST") !== undefined
    yield* Effect.repeat(Effect.sleep("20 millis"), { until: isExported })
    assert.strictEqual(named("invoke_agent")?.parentSpanId, named("run")?.spanId)
    assert.strictEqual(named("chat")?.parentSpanId, named("invoke_agent")?.spanId)
    assert.strictEqual(named("execute_tool click")?.parentSpanId, named("invoke_agent")?.spanId)
    assert.strictEqual(named("run")?.parentSpanId, named("POST")?.spanId)
  })
)

test(
  "a run of a killed server keeps the cost of its model calls",
  Effect.gen(function* () {
    const model = yield* ScriptedModel
    const path = yield* folder
    const first = yield* serve([], modelFlags(model), {}, path)
    // the second request gets no response
    script(model, call("wait", { seconds: 0 }), () => new Promise(() => {}))
    const { id } = yield* create(first.v4, { task: "Wait" })
    yield* until(send(first.v4, key, "GET", `/runs/${id}`), ({ body }) => body["cost"] === "0.000045")
    first.program.process.kill("SIGKILL")
    yield* first.program.ended
    const second = yield* serve([], modelFlags(model), {}, path)
    const { body } = yield* ended(second.v4, id)
    assert.deepInclude(body, { status: "failed", cost: "0.000045" })
  })
)
