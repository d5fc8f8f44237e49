import { assert, describe, it } from "@effect/vitest"
import { ClientConfig, Transport } from "@webagent/core"
import { PollBudget, PollSchedule } from "@webagent/polling"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"
import { Browsers, type GivenOptions, Runs, Sessions, V4 } from "../src/index.ts"
import { layer } from "./client.ts"
import { ScriptedServer } from "@webagent/scripted-server"

describe("V4", () => {
  it.live("layer reads the environment, and uses undici", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ json: { status: "running" } })
      const env = { WEBAGENT_API_KEY: "wak_env", WEBAGENT_BASE_URL: `${server.address}/api/v4/` }
      yield* Effect.flatMap(Runs, (runs) => runs.status("r-1")).pipe(
        Effect.provide(V4.layer()),
        Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
      )
      assert.strictEqual(server.requests[0]?.headers["x-service-api-key"], "wak_env")
      assert.strictEqual(server.requests[0]?.url, "/api/v4/runs/r-1/status")
      // what fetch says of itself: in Node it is undici
      assert.isUndefined(server.requests[0]?.headers["sec-fetch-mode"])
    }).pipe(Effect.provide(ScriptedServer.layer))
  )

  it.live.each([
    ["layer", V4.layer],
    ["layerClient", (options: GivenOptions) => Layer.provide(V4.layerClient(options), FetchHttpClient.layer)]
  ] as const)("%s takes an address from its options and a key from the environment", ([, layer]) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ json: { status: "running" } })
      const env = { WEBAGENT_API_KEY: "wak_env", WEBAGENT_BASE_URL: "http://127.0.0.1:9" }
      yield* Effect.provide(
        Runs.use((runs) => runs.status("r-1")),
        layer({ baseUrl: server.address, headers: { "x-team": "travel" } })
      ).pipe(Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))))
      assert.strictEqual(server.requests[0]?.headers["x-service-api-key"], "wak_env")
      assert.strictEqual(server.requests[0]?.headers["x-team"], "travel")
    }).pipe(Effect.provide(ScriptedServer.layer))
  )

  it.live("layer fails in one sentence without a key", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Effect.provide(Effect.service(Runs), V4.layer()))
      assert.strictEqual(error.message, "No API key: set WEBAGENT_API_KEY to a key from the service's console.")
    }).pipe(Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: {} }))))
  )

  it.live("layerServices uses any Transport, and the budget and schedule of its context", () => {
    let polls = 0
    const budget = Layer.succeed(PollBudget, { take: Effect.sync(() => void polls++) })
    return Effect.gen(function* () {
      const server = yield* ScriptedServer
      let looks = 0
      server.script = ({ url }) => ({
        json: url.endsWith("/status")
          ? { status: ++looks < 3 ? "running" : "completed" }
          : { id: "r", status: "completed" }
      })
      const client = V4.layerServices.pipe(
        Layer.provide(budget),
        Layer.provide(Layer.succeed(PollSchedule.Current, PollSchedule.every("1 millis"))),
        Layer.provide(Transport.layer),
        Layer.provide(ClientConfig.layer({ baseUrl: server.address, apiKey: "k" })),
        Layer.provide(FetchHttpClient.layer)
      )
      yield* Effect.provide(
        Effect.gen(function* () {
          yield* Browsers
          yield* Sessions
          const runs = yield* Runs
          yield* runs.untilTerminal("r")
        }),
        client
      )
      // three looks at the status, and the read of the run
      assert.deepStrictEqual([polls, looks], [4, 3])
    }).pipe(Effect.provide(ScriptedServer.layer))
  })

  it.live("has a span for every call and wait, named after its method, with the run's id", () => {
    const spans: Array<Tracer.NativeSpan> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    return Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ json: { id: "r-1", status: "completed" } })
      const runs = yield* Runs
      yield* runs.createAndWait({ task: "t" }).pipe(Effect.withTracer(tracer))
      const parentOf = (span: Tracer.NativeSpan) => (span.parent._tag === "Some" ? span.parent.value : undefined)
      const named = spans.map((span) => {
        const parent = parentOf(span)
        return `${parent?._tag === "Span" ? parent.name : "-"} > ${span.name}`
      })
      assert.deepStrictEqual(named, [
        "- > v4.Runs.createAndWait",
        "v4.Runs.createAndWait > v4.Runs.create",
        "v4.Runs.create > POST",
        "v4.Runs.createAndWait > GET",
        "v4.Runs.createAndWait > v4.Runs.get",
        "v4.Runs.get > GET"
      ])
      for (const index of [0, 1, 4]) assert.strictEqual(spans[index]?.attributes.get("run.id"), "r-1")
      const { "webagent.request.id": requestId, ...attributes } = Object.fromEntries(spans[3]?.attributes ?? [])
      assert.strictEqual(requestId, server.requests[1]?.headers["x-request-id"])
      assert.deepStrictEqual(attributes, {
        "http.request.method": "GET",
        "server.address": "127.0.0.1",
        "server.port": Number(new URL(server.address).port),
        "url.full": `${server.address}/api/v4/runs/r-1/status`,
        "http.response.status_code": 200
      })
    }).pipe(Effect.provide(layer()))
  })
})
