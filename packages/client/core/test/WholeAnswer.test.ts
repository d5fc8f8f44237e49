import { assert, describe, it } from "@effect/vitest"
import { type Answer, unreachable, ScriptedServer } from "@webagent/scripted-server"
import { hastened, headersRead, silence } from "@webagent/scripted-server/Haste"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { ClientConfig, type ClientOptions, layerFetch, execute, Transport } from "../src/index.ts"
import { layerUndici } from "../src/node.ts"

/** An HttpClient of an application: it is asked the usual way. */
const derived = <E, R>(layer: Layer.Layer<HttpClient.HttpClient, E, R>) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, HttpClient.mapRequest(HttpClientRequest.setHeader("x-changed", "yes")))
  ).pipe(Layer.provide(layer))

const clients = {
  fetch: layerFetch,
  undici: layerUndici,
  "a client over fetch": derived(layerFetch),
  "a client over undici": derived(layerUndici)
}

type Name = keyof typeof clients

const transport = (client: Name, timeouts: ClientOptions["timeouts"], address: string) =>
  Transport.layer.pipe(
    Layer.provide(clients[client]),
    Layer.provide(ClientConfig.layer({ baseUrl: address, apiKey: "canary", timeouts })),
    Layer.orDie
  )

const exchange = (path = "/x") =>
  Effect.flatMap(Transport, (transport) => transport.exchange("v4", { method: "GET", url: path }))

const get = (client: Name, timeouts: ClientOptions["timeouts"], answer: Answer) =>
  Effect.gen(function* () {
    const server = yield* ScriptedServer
    server.script = () => answer
    return yield* exchange().pipe(Effect.provide(transport(client, timeouts, server.address)))
  }).pipe(Effect.provide(ScriptedServer.layer))

describe.each(["fetch", "undici", "a client over fetch", "a client over undici"] as const)("%s", (client) => {
  const timeouts = {}

  it.live("reads a response of many pieces to its end, and joins repeated headers", () =>
    Effect.gen(function* () {
      const text = "é".repeat(300_000)
      const answered = yield* get(client, timeouts, (response) => {
        response.writeHead(202, { "x-twice": ["a", "b"], "Retry-After": "7" })
        response.write(Buffer.from(text).subarray(0, 77_777))
        response.end(Buffer.from(text).subarray(77_777))
      })
      assert.strictEqual(answered.status, 202)
      assert.strictEqual(answered.text(), text)
      assert.deepStrictEqual(
        ["retry-after", "x-twice", "x-none"].map((name) => answered.header(name)),
        ["7", "a, b", undefined]
      )
    })
  )

  it.live("sends a body with its type and length", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ status: 201, json: {} })
      const request = HttpClientRequest.post("/x").pipe(HttpClientRequest.bodyJsonUnsafe({ task: "é" }))
      yield* Effect.flatMap(Transport, (transport) => execute(transport, "v4", request)).pipe(
        Effect.provide(transport(client, timeouts, server.address))
      )
      const [received] = server.requests
      assert.strictEqual(received?.body, `{"task":"é"}`)
      assert.strictEqual(received?.headers["content-type"], "application/json")
      assert.strictEqual(received?.headers["content-length"], "13")
    }).pipe(Effect.provide(ScriptedServer.layer))
  )

  it.live("leaves no timer behind, which would keep a process running", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      let sleeping = 0
      const sleep = (duration: Duration.Duration) => {
        sleeping++
        return Effect.ensuring(
          clock.sleep(duration),
          Effect.sync(() => sleeping--)
        )
      }
      const counted = Object.create(clock, { sleep: { value: sleep } }) as Clock.Clock
      let during = 0
      yield* get(client, timeouts, (response) => {
        during = sleeping
        response.end("{}")
      }).pipe(Effect.provideService(Clock.Clock, counted))
      assert.isAtLeast(during, 1)
      assert.strictEqual(sleeping, 0)
    })
  )

  it.live("follows no redirect", () =>
    Effect.gen(function* () {
      const answered = yield* get(client, timeouts, { status: 307, headers: { location: "/y" } })
      assert.deepStrictEqual([answered.status, answered.header("location")], [307, "/y"])
    })
  )

  it.live("reports a refused connection and a cut response", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(exchange().pipe(Effect.provide(transport(client, timeouts, unreachable))))
      assert.deepInclude(refused.reason, { _tag: "ConnectionFailed", code: "ECONNREFUSED" })
      const cut = yield* Effect.flip(
        get(client, timeouts, (response) => {
          response.writeHead(200, { "content-length": "10" }).write("{")
          setImmediate(() => response.socket?.destroy())
        })
      )
      assert.strictEqual(cut.reason._tag, "ConnectionFailed")
    })
  )

  it.live("reports whether the headers or the end of the body is missing", () =>
    Effect.gen(function* () {
      const short = { headers: "10 hours", total: "1 minute" } as const
      for (const phase of ["headers", "body"] as const) {
        const { answer, arrived } = silence()
        const server = yield* ScriptedServer
        server.script = () => (phase === "headers" ? answer : (response) => void response.writeHead(200).write("{"))
        const hasten = hastened(phase === "headers" ? arrived : yield* headersRead(server))
        const call = Effect.provide(exchange(), transport(client, short, server.address))
        assert.deepInclude((yield* Effect.flip(hasten(call))).reason, { _tag: "Timeout", phase, limit: "total" })
      }
    }).pipe(Effect.scoped, Effect.provide(ScriptedServer.layer))
  )

  it.live.each(["the headers", "the end of the body"])("closes the connection when interrupted before %s", (missing) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const arrived = yield* Deferred.make<void>()
      const closed = yield* Deferred.make<void>()
      server.script = () => (response) => {
        response.once("close", () => Deferred.doneUnsafe(closed, Exit.void))
        if (missing === "the end of the body") response.writeHead(200).write("{")
        Deferred.doneUnsafe(arrived, Exit.void)
      }
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(exchange())
        yield* Deferred.await(arrived)
        yield* Fiber.interrupt(fiber)
        yield* Deferred.await(closed)
      }).pipe(Effect.provide(transport(client, timeouts, server.address)))
    }).pipe(Effect.provide(ScriptedServer.layer))
  )

  it.live("sends a body that is a stream, and one that is a form", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ status: 201 })
      const form = new FormData()
      form.append("name", "é")
      const bodies = [
        HttpClientRequest.bodyStream(Stream.make(Uint8Array.of(97), Uint8Array.of(98))),
        HttpClientRequest.bodyFormData(form)
      ]
      const statuses = yield* Effect.forEach(bodies, (withBody) =>
        Effect.flatMap(Transport, (transport) => execute(transport, "v4", withBody(HttpClientRequest.post("/x"))))
      ).pipe(Effect.provide(transport(client, {}, server.address)))
      assert.deepStrictEqual(
        statuses.map(({ status }) => status),
        [201, 201]
      )
      const [streamed, formed] = server.requests
      assert.strictEqual(streamed?.body, "ab")
      assert.include(formed?.headers["content-type"], "multipart/form-data; boundary=")
      assert.include(formed?.body, "é")
    }).pipe(Effect.provide(ScriptedServer.layer))
  )
})

describe("an HttpClient with a middleware", () => {
  it.live("is called with its middleware", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ json: {} })
      const changed = Layer.effect(
        HttpClient.HttpClient,
        Effect.map(HttpClient.HttpClient, HttpClient.mapRequest(HttpClientRequest.setHeader("x-changed", "yes")))
      ).pipe(Layer.provide(layerFetch))
      yield* exchange().pipe(
        Effect.provide(Transport.layer),
        Effect.provide(changed),
        Effect.provide(ClientConfig.layer({ baseUrl: server.address, apiKey: "canary" }))
      )
      assert.strictEqual(server.requests[0]?.headers["x-changed"], "yes")
    }).pipe(Effect.provide(ScriptedServer.layer))
  )
})

describe("layerFetch", () => {
  it.live("uses the provided fetch and its options", () =>
    Effect.gen(function* () {
      const seen: Array<RequestInit | undefined> = []
      const fetch: typeof globalThis.fetch = async (_, init) => {
        seen.push(init)
        return new Response("{}")
      }
      const fetchLayer = layerFetch.pipe(Layer.provide(Layer.succeed(FetchHttpClient.Fetch, fetch)))
      yield* exchange().pipe(
        Effect.provide(Transport.layer.pipe(Layer.provide(fetchLayer))),
        Effect.provide(ClientConfig.layer({ baseUrl: "http://a.example", apiKey: "canary" })),
        Effect.provideService(FetchHttpClient.RequestInit, { cache: "no-store" })
      )
      assert.deepInclude(seen[0], { cache: "no-store", redirect: "manual", method: "GET" })
    })
  )

  it.live.each(["fetch", "a client over fetch"] as const)("sends the headers among its options: %s", (client) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ json: {} })
      yield* exchange().pipe(
        Effect.provide(transport(client, {}, server.address)),
        Effect.provideService(FetchHttpClient.RequestInit, { headers: { "X-Gate": "open", Accept: "text/html" } })
      )
      assert.deepInclude(server.requests[0]?.headers, { "x-gate": "open", accept: "application/json" })
    }).pipe(Effect.provide(ScriptedServer.layer))
  )

  it.live("reads a response without a stream, as a mock may return it", () =>
    Effect.gen(function* () {
      const whole = new TextEncoder().encode("{}").buffer
      const headers = new Headers({ "content-length": "2" })
      const fetch = (async () => ({ status: 200, headers, arrayBuffer: () => whole })) as never
      const answered = yield* exchange().pipe(
        Effect.provide(transport("fetch", {}, "http://127.0.0.1:1")),
        Effect.provideService(FetchHttpClient.Fetch, fetch)
      )
      assert.deepStrictEqual([answered.status, answered.text()], [200, "{}"])
    })
  )

  it.live("fails at once if the status of a response can't be read", () =>
    Effect.gen(function* () {
      const fetch: typeof globalThis.fetch = async () =>
        Object.defineProperty(new Response("{}"), "status", {
          get: () => {
            throw new Error("no status")
          }
        })
      const fetchLayer = layerFetch.pipe(Layer.provide(Layer.succeed(FetchHttpClient.Fetch, fetch)))
      const error = yield* Effect.flip(exchange()).pipe(
        Effect.provide(Transport.layer.pipe(Layer.provide(fetchLayer))),
        Effect.provide(ClientConfig.layer({ baseUrl: "http://a.example", apiKey: "canary" }))
      )
      assert.include(error.message, "no status")
    })
  )

  it.live("sends no upgrade header, which fetch doesn't support", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const upgrade = HttpClientRequest.get("/x", { headers: { upgrade: "websocket" } })
      const error = yield* Effect.flatMap(Transport, (transport) =>
        Effect.flip(execute(transport, "v4", upgrade))
      ).pipe(Effect.provide(transport("fetch", {}, server.address)))
      assert.include(error.message, "fetch cannot leave HTTP")
      assert.strictEqual(server.requests.length, 0)
    }).pipe(Effect.provide(ScriptedServer.layer))
  )
})
