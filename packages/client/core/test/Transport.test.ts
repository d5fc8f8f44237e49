import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { execute, Transport } from "../src/index.ts"
import { version } from "../src/version.ts"
import { layer } from "./client.ts"
import { unreachable, ScriptedServer } from "@webagent/scripted-server"
import { hastened, headersRead, silence } from "@webagent/scripted-server/Haste"

const get = (path: string, options?: HttpClientRequest.Options.NoUrl) =>
  Effect.flatMap(Transport, (transport) => execute(transport, "v4", HttpClientRequest.get(path, options)))

const reasonOf = (path: string) => Effect.map(Effect.flip(get(path)), (error) => error.reason)

describe("Transport.execute", () => {
  it.live("sends the key in its header and the configured headers, and no trace headers", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ json: { ok: true } })
      const response = yield* Effect.withSpan(get("/anything?x=1", { headers: { "x-own": "1" } }), "outer")
      assert.deepStrictEqual(yield* response.json, { ok: true })
      const [request] = server.requests
      assert.deepStrictEqual([request?.method, request?.url], ["GET", "/api/v4/anything?x=1"])
      assert.strictEqual(request?.headers["x-other-key"], "canary")
      assert.strictEqual(request?.headers["user-agent"], `webagent/${version}`)
      assert.strictEqual(request?.headers["x-team"], "blue")
      assert.strictEqual(request?.headers["x-own"], "1")
      for (const header of ["traceparent", "b3", "x-service-api-key"]) assert.isUndefined(request?.headers[header])
    }).pipe(Effect.provide(layer({ apiKeyHeader: "X-Other-Key", headers: { "X-Team": "blue" } })))
  )

  it("names the version of its package", () => {
    const { version: published } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
    assert.strictEqual(version, published)
  })

  it.live("keeps the key of a request that has one", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({})
      yield* get("/x", { headers: { "X-Service-API-Key": "another" } })
      assert.strictEqual(server.requests[0]?.headers["x-service-api-key"], "another")
    }).pipe(Effect.provide(layer()))
  )

  it.live("accepts every status as a success, after one attempt", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      for (const status of [200, 204, 304, 404, 429, 500, 503, 599]) {
        server.script = () => ({ status, headers: { "retry-after": "1" } })
        assert.strictEqual((yield* get("/x")).status, status)
      }
      assert.strictEqual(server.requests.length, 8)
    }).pipe(Effect.provide(layer()))
  )

  it.live("follows no redirect: the key stays with the configured address", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const other = Context.get(yield* Layer.build(Layer.fresh(ScriptedServer.layer)), ScriptedServer)
      assert.notStrictEqual(other.address, server.address)
      other.script = () => ({ json: {} })
      server.script = () => ({ status: 302, headers: { location: `${other.address}/stolen` } })
      assert.strictEqual((yield* get("/x")).status, 302)
      assert.strictEqual(other.requests.length, 0)
      assert.strictEqual(server.requests.length, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.live("a path cannot lead to another host", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({})
      for (const path of [
        "https://evil.example/",
        "//evil.example/",
        "@evil.example/",
        "\\\\evil.example",
        "/../../x"
      ]) {
        const exit = yield* Effect.exit(get(path))
        if (Exit.isSuccess(exit)) assert.strictEqual(new URL(exit.value.request.url).origin, server.address, path)
      }
      assert.strictEqual(server.requests.length, 5)
    }).pipe(Effect.provide(layer()))
  )

  it.live("fails with ConnectionFailed if no server responds", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(get("/runs"))
      assert.strictEqual(error._tag === "TransportError" && error.reason._tag, "ConnectionFailed")
      assert.strictEqual(
        error.message,
        `GET ${unreachable}/api/v4/runs: nothing answers at ${unreachable} (connection refused). ` +
          `Is the service running, and the base address right? Request id ${error.requestId}.`
      )
    }).pipe(Effect.provide(layer({ baseUrl: unreachable })))
  )

  it.live.each([
    ["before the answer", (response) => response.destroy()],
    ["in the headers", (response) => response.socket?.end("HTTP/1.1 200 O")],
    [
      "in the body",
      (response) => {
        response.writeHead(200, { "content-length": "1000" })
        response.write("{", () => response.destroy())
      }
    ]
  ] as ReadonlyArray<readonly [string, (response: ServerResponse) => void]>)(
    "a connection cut %s is a ConnectionFailed",
    ([, answer]) =>
      Effect.gen(function* () {
        const server = yield* ScriptedServer
        server.script = () => answer
        assert.strictEqual((yield* reasonOf("/x"))._tag, "ConnectionFailed")
      }).pipe(Effect.provide(layer()))
  )

  it.live.each(["headers", "body"] as const)("fails with a Timeout that names the missing %s", (phase) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const { answer, arrived } = silence()
      server.script = () => (phase === "headers" ? answer : (response) => void response.writeHead(200).write("{"))
      const hasten = hastened(phase === "headers" ? arrived : yield* headersRead(server))
      const reason = yield* hasten(reasonOf("/x"))
      assert.strictEqual(reason._tag === "Timeout" && reason.phase, phase)
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  it.live("an interrupted call closes its connection", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const arrived = yield* Deferred.make<Promise<unknown>>()
      server.script = () => (response) => void Deferred.doneUnsafe(arrived, Exit.succeed(once(response, "close")))
      const fiber = yield* Effect.forkChild(get("/x"))
      const closed = yield* Deferred.await(arrived)
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => closed)
    }).pipe(Effect.provide(layer()))
  )
})
