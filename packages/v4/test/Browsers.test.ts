import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import type { ServerResponse } from "node:http"
import { Browsers } from "../src/index.ts"
import { layer } from "./client.ts"
import { type Answer, ScriptedServer } from "./ScriptedServer.ts"

const browser = { id: "b-1", cdpUrl: "ws://127.0.0.1:9/cdp", later: 1 }

/** A service that creates browsers; stops answer one after the other, the last for ever. */
const service = (...stops: ReadonlyArray<Answer>) =>
  Effect.map(ScriptedServer, (server) => {
    let stopped = 0
    server.script = ({ method }) =>
      method === "POST" ? { status: 201, json: browser } : (stops[Math.min(stopped++, stops.length - 1)] ?? {})
    return { server, sent: () => server.requests.map(({ method, url }) => `${method} ${url.replace("/api/v4", "")}`) }
  })

const create = "POST /browsers"
const stop = "PATCH /browsers/b-1"

describe("Browsers.create and Browsers.stop", () => {
  it.live.each([200, 201, 202])("accept %i", (status) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ status, json: browser })
      const browsers = yield* Browsers
      assert.deepStrictEqual(yield* browsers.create(), browser)
      assert.deepStrictEqual(yield* browsers.create({ proxyCountryCode: "no", later: 1 }), browser)
      assert.deepStrictEqual(yield* browsers.stop("b-1"), browser)
      assert.deepStrictEqual(
        server.requests.map(({ body, method }) => [method, JSON.parse(body)]),
        [
          ["POST", {}],
          ["POST", { proxyCountryCode: "no", later: 1 }],
          ["PATCH", { action: "stop" }]
        ]
      )
    }).pipe(Effect.provide(layer()))
  )

  it.live.each([200, 202, 204])("stop accepts %i without a body: its answer is not described", (status) =>
    Effect.gen(function* () {
      yield* service({ status })
      const browsers = yield* Browsers
      assert.deepStrictEqual(yield* browsers.stop("b-1"), {})
    }).pipe(Effect.provide(layer()))
  )

  it.live("stop is tried again, create is not", () =>
    Effect.gen(function* () {
      const { sent, server } = yield* service({ status: 503 }, (response) => response.destroy(), { json: browser })
      const browsers = yield* Browsers
      yield* browsers.stop("b-1")
      assert.deepStrictEqual(sent(), [stop, stop, stop])
      server.script = () => ({ status: 503 })
      yield* Effect.flip(browsers.create())
      assert.strictEqual(server.requests.length, 4)
    }).pipe(Effect.provide(layer()))
  )

  it.live("404 is a BrowserNotFoundError", () =>
    Effect.gen(function* () {
      yield* service({ status: 404, json: { detail: "No browser b-1" } })
      const browsers = yield* Browsers
      const error = yield* Effect.flip(browsers.stop("b-1"))
      assert.deepStrictEqual([error._tag, error.message], ["BrowserNotFoundError", "No browser b-1"])
    }).pipe(Effect.provide(layer()))
  )
})

describe("Browsers.use and Browsers.acquire", () => {
  it.live("stop the browser after success", () =>
    Effect.gen(function* () {
      const { sent } = yield* service({ json: browser })
      const browsers = yield* Browsers
      const url = yield* browsers.use({ proxyCountryCode: "no" }, (browser) => Effect.succeed(browser.cdpUrl))
      assert.strictEqual(url, browser.cdpUrl)
      assert.deepStrictEqual(sent(), [create, stop])
      yield* Effect.scoped(browsers.acquire())
      assert.deepStrictEqual(sent(), [create, stop, create, stop])
    }).pipe(Effect.provide(layer()))
  )

  it.live("stop the browser after failure and defect, and pass these on", () =>
    Effect.gen(function* () {
      const { sent } = yield* service({ json: browser })
      const browsers = yield* Browsers
      assert.strictEqual(yield* Effect.flip(browsers.use({}, () => Effect.fail("no mug"))), "no mug")
      assert.deepStrictEqual(yield* Effect.exit(browsers.use({}, () => Effect.die("bug"))), Exit.die("bug"))
      assert.deepStrictEqual(sent(), [create, stop, create, stop])
    }).pipe(Effect.provide(layer()))
  )

  it.live("stop the browser when interrupted", () =>
    Effect.gen(function* () {
      const { sent } = yield* service({ json: browser })
      const browsers = yield* Browsers
      const inside = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        browsers.use({}, () => Effect.andThen(Deferred.succeed(inside, undefined), Effect.never))
      )
      yield* Deferred.await(inside)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(sent(), [create, stop])
    }).pipe(Effect.provide(layer()))
  )

  it.live("stop a browser whose creation was in flight when interrupted", () =>
    Effect.gen(function* () {
      const { sent, server } = yield* service({ json: browser })
      const arrived = yield* Deferred.make<ServerResponse>()
      const { script } = server
      server.script = (request, count) =>
        request.method === "POST"
          ? (response) => void Deferred.doneUnsafe(arrived, Exit.succeed(response))
          : script(request, count)
      const browsers = yield* Browsers
      const fiber = yield* Effect.forkChild(Effect.scoped(Effect.andThen(browsers.acquire(), Effect.never)))
      const response = yield* Deferred.await(arrived)
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
      response.writeHead(201).end(JSON.stringify(browser))
      yield* Fiber.join(interrupting)
      assert.deepStrictEqual(sent(), [create, stop])
    }).pipe(Effect.provide(layer()))
  )

  it.live("stop a browser whose answer could not be decoded, and fail all the same", () =>
    Effect.gen(function* () {
      const { sent, server } = yield* service({ json: browser })
      const { script } = server
      server.script = (request, count) => (request.method === "POST" ? { json: { id: "b-1" } } : script(request, count))
      const browsers = yield* Browsers
      const error = yield* Effect.flip(browsers.use({}, () => Effect.void))
      assert.strictEqual(error._tag === "TransportError" && error.reason._tag, "UndecodableAnswer")
      assert.deepStrictEqual(sent(), [create, stop])
    }).pipe(Effect.provide(layer()))
  )

  it.live("try again to stop, longer than a read would", () =>
    Effect.gen(function* () {
      const { sent } = yield* service(...Array.from({ length: 4 }, () => ({ status: 502 })), { json: browser })
      const browsers = yield* Browsers
      yield* browsers.use({}, () => Effect.void)
      assert.deepStrictEqual(sent(), [create, stop, stop, stop, stop, stop])
    }).pipe(Effect.provide(layer()))
  )

  it.live("take a browser that is gone for stopped, and warn about one that cannot be", () => {
    const warnings: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => void warnings.push(`${logLevel} ${String(message)}`))
    return Effect.gen(function* () {
      const { sent, server } = yield* service({ status: 404, json: {} })
      const browsers = yield* Browsers
      yield* browsers.use({}, () => Effect.void)
      assert.deepStrictEqual([sent(), warnings], [[create, stop], []])
      const { script } = server
      server.script = (request, count) => (request.method === "POST" ? script(request, count) : { status: 403 })
      assert.strictEqual(yield* browsers.use({}, () => Effect.succeed("kept")), "kept")
      assert.strictEqual(warnings.length, 1)
      assert.match(warnings[0] ?? "", /^Warn Browser b-1 could not be stopped and may go on costing/u)
    }).pipe(Effect.provide(layer()), Effect.provide(Logger.layer([logger])))
  })
})
