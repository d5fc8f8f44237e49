import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Duration from "effect/Duration"
import * as Fiber from "effect/Fiber"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as McpServer from "effect/ai/McpServer"
import * as TestClock from "effect/testing/TestClock"
import type * as Scope from "effect/Scope"
import { about } from "../../src/mcp/about.ts"
import { type App, bounded } from "../../src/mcp/Sessions.ts"

/** The server of `effect/ai`, which remembers every session until it is ended. */
const unbounded: Effect.Effect<App, unknown, Scope.Scope> = HttpRouter.toHttpEffect(
  McpServer.layerHttp({ ...about("0"), path: "/mcp", allowSessionTermination: true })
)

const send = Effect.fnUntraced(function* (
  app: App,
  message: object | null,
  headers: Readonly<Record<string, string>> = {},
  method = "POST"
) {
  const request = HttpClientRequest.make(method as "POST")("http://localhost/mcp", {
    headers: { accept: "application/json, text/event-stream", ...headers },
    ...(message === null ? {} : { body: HttpBody.jsonUnsafe({ jsonrpc: "2.0", ...message }) })
  })
  let response = new Response()
  yield* Effect.provideService(
    HttpEffect.toHandled(app, (_, sent) => Effect.sync(() => (response = HttpServerResponse.toWeb(sent)))),
    HttpServerRequest.HttpServerRequest,
    HttpServerRequest.fromClientRequest(request)
  )
  return {
    status: response.status,
    session: response.headers.get("mcp-session-id") ?? "",
    allow: response.headers.get("allow"),
    text: yield* Effect.promise(() => response.text())
  }
})

const open = (app: App, key = "wak_test") =>
  Effect.map(
    send(
      app,
      {
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "a test", version: "1" } }
      },
      { "x-service-api-key": key }
    ),
    ({ session, status }) => {
      assert.strictEqual(status, 200)
      return session
    }
  )

const headersOf = (session: string, key = "wak_test") => ({ "mcp-session-id": session, "x-service-api-key": key })

const ask = (app: App, session: string, key?: string) => send(app, { id: 2, method: "ping" }, headersOf(session, key))

const ended = JSON.stringify({ detail: "This MCP session has ended. Start a new one with initialize." })

describe("an MCP session", () => {
  it.effect("expires after an hour without a request", () =>
    Effect.gen(function* () {
      const all = yield* unbounded
      const app = bounded(all, "/mcp")
      const [idle, used] = [yield* open(app), yield* open(app)]
      yield* TestClock.adjust("59 minutes")
      assert.strictEqual((yield* ask(app, used)).status, 200)
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(yield* ask(app, idle), { status: 404, text: ended })
      assert.strictEqual((yield* ask(app, used)).status, 200)
      assert.strictEqual((yield* ask(all, idle)).status, 404)
      // one that no client asks for again ends with the next one that begins
      yield* TestClock.adjust("1 hour")
      yield* open(app)
      assert.strictEqual((yield* ask(all, used)).status, 404)
    }).pipe(Effect.scoped)
  )

  it.effect("is replaced by a new one if it was idle the longest and has no request in progress", () =>
    Effect.gen(function* () {
      const all = yield* unbounded
      const answer = yield* Deferred.make<void>()
      const slow: App = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
        headers["x-slow"] === undefined ? all : Effect.andThen(Deferred.await(answer), all)
      )
      const app = bounded(slow, "/mcp", { most: 2, idle: Duration.hours(1) })
      const [busy, idle] = [yield* open(app), yield* open(app)]
      const headers = { ...headersOf(busy), "x-slow": "yes" }
      const asking = yield* Effect.forkChild(send(app, { id: 2, method: "ping" }, headers), { startImmediately: true })
      const next = yield* open(app)
      assert.deepInclude(yield* ask(app, idle), { status: 404, text: ended })
      assert.strictEqual((yield* ask(all, idle)).status, 404)
      assert.strictEqual((yield* ask(app, next)).status, 200)
      yield* Deferred.succeed(answer, undefined)
      assert.strictEqual((yield* Fiber.join(asking)).status, 200)
    }).pipe(Effect.scoped)
  )

  it.effect("is unknown to another key, which gets the same 404 as for an unknown id", () =>
    Effect.gen(function* () {
      const app = bounded(yield* unbounded, "/mcp")
      const session = yield* open(app)
      const unknown = yield* ask(app, "unknown", "wak_other")
      assert.deepInclude(unknown, { status: 404, text: ended })
      for (const key of ["wak_other", ""]) {
        assert.deepStrictEqual(yield* ask(app, session, key), unknown)
        assert.deepStrictEqual(yield* send(app, null, headersOf(session, key), "DELETE"), unknown)
      }
      assert.strictEqual((yield* ask(app, session)).status, 200)
      const bearer = { "mcp-session-id": session, authorization: "Bearer wak_test" }
      assert.strictEqual((yield* send(app, { id: 3, method: "ping" }, bearer)).status, 200)
    }).pipe(Effect.scoped)
  )

  it.effect("stays open however many sessions another key opens, because they only replace its own", () =>
    Effect.gen(function* () {
      const all = yield* unbounded
      const app = bounded(all, "/mcp")
      const session = yield* open(app)
      const others: Array<string> = []
      for (let count = 0; count < 1050; count++) others.push(yield* open(app, "wak_other"))
      assert.strictEqual((yield* ask(app, session)).status, 200)
      const [oldest = "", kept = ""] = [others[49], others[50]]
      assert.deepInclude(yield* ask(app, oldest, "wak_other"), { status: 404, text: ended })
      assert.strictEqual((yield* ask(all, oldest, "wak_other")).status, 404)
      assert.strictEqual((yield* ask(app, kept, "wak_other")).status, 200)
    }).pipe(Effect.scoped)
  )

  it.effect("is unknown after its client ends it", () =>
    Effect.gen(function* () {
      const app = bounded(yield* unbounded, "/mcp")
      const session = yield* open(app)
      assert.strictEqual((yield* send(app, null, headersOf(session), "DELETE")).status, 204)
      assert.deepInclude(yield* ask(app, session), { status: 404, text: ended })
    }).pipe(Effect.scoped)
  )

  it.effect("refuses requests that aren't MCP's with a sentence", () =>
    Effect.gen(function* () {
      const app = bounded(yield* unbounded, "/mcp")
      const refusals = [
        [
          yield* send(app, null, {}, "GET"),
          405,
          "MCP takes a POST, and a DELETE to end a session. There is no stream to GET."
        ],
        [
          yield* send(app, {}, { accept: "application/json" }),
          406,
          "The header Accept must name application/json and text/event-stream."
        ],
        [yield* send(app, null), 415, "The header Content-Type must be application/json."],
        [
          yield* send(app, {}, { origin: "https://a.example" }),
          403,
          "Requests of web pages, which have an Origin, are refused."
        ],
        [
          yield* send(app, null, {}, "DELETE"),
          400,
          "This MCP request does not fit its session. Check the headers Mcp-Session-Id and MCP-Protocol-Version."
        ],
        [yield* ask(app, "unknown"), 404, "This MCP session has ended. Start a new one with initialize."]
      ] as const
      for (const [{ status, text }, expected, detail] of refusals) {
        assert.deepStrictEqual([status, text], [expected, JSON.stringify({ detail })])
      }
      assert.strictEqual(refusals[0][0].allow, "POST, DELETE")
    }).pipe(Effect.scoped)
  )
})
