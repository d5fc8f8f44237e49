import { assert, it } from "@effect/vitest"
import { ApiKeyAuth, UnauthorizedError } from "@webagent/contract"
import { Engine, MemoryStore, Owner, TimeOrderedIds, layerStreamingAgent } from "@webagent/engine"
import { RequestValidation, Server } from "@webagent/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { statSync } from "node:fs"
import { WebSocket } from "ws"
import { Binary, ChromiumPool, Isolation } from "../../src/index.ts"
import { talk } from "../egress/sockets.ts"
import { runtime } from "../support/chromium.ts"
import { layerEgress } from "../support/sandboxed.ts"

/** Two keys, each with what it made. */
const keys = Layer.succeed(ApiKeyAuth, {
  apiKey: (httpEffect, { credential }) => {
    const key = Redacted.value(credential)
    return ["ann", "bob"].includes(key)
      ? Effect.provideService(httpEffect, Owner, key)
      : Effect.fail(new UnauthorizedError({ detail: "Invalid API key" }))
  }
})

const agent = layerStreamingAgent({ model: "test", version: "test-1", perform: () => Stream.never })

/** A server of real browsers, kept apart as well as this machine can. */
const served = Effect.gen(function* () {
  const root = yield* runtime
  const binary = yield* Binary.find()
  const { chromiumSandbox, level, sandbox } = yield* Isolation.probe({ binary, runtime: root, atLeast: "none" })
  const pool = ChromiumPool.layer({ binary, chromiumSandbox, root, warm: 0 })
  const context = yield* Layer.build(
    Layer.fresh(Server.layerWithAuth({ apiKeys: ["wak_test"] })).pipe(
      Layer.provide([keys, RequestValidation.layer]),
      Layer.provide(Engine.layer),
      Layer.provideMerge(pool),
      Layer.provide([agent, MemoryStore.layer, TimeOrderedIds.layer, sandbox])
    )
  )
  const find = (id: string) =>
    Effect.provideContext(
      ChromiumPool.RunningBrowsers.useSync(({ find }) => find(id) ?? assert.fail(`${id} does not run`)),
      context
    )
  const { address } = yield* Effect.provideContext(Server, context)
  return { level, find, address, port: Number(new URL(address).port) }
})

interface Answer {
  readonly status: number
  readonly text: string
}

const answerOf = (said: string): Answer => ({ status: Number(said.slice(9, 12)), text: said })

/** Sends a request as it is written: a client would tidy its path. An upgrade is answered when it is accepted. */
const request = (port: number, line: string, headers: Readonly<Record<string, string>> = {}, body = "") =>
  Effect.scoped(
    Effect.flatMap(talk(port), ({ ended, socket, until }) => {
      socket.write(
        `${line} HTTP/1.1\r\n${Object.entries({ Host: `127.0.0.1:${port}`, Connection: "close", ...headers })
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join(
            ""
          )}${body === "" ? "" : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`}\r\n${body}`
      )
      return Effect.promise(async () => answerOf(await until(/^HTTP\/1\.1 101 /u).catch(() => ended)))
    })
  )

const upgrade = {
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="
}

/** A browser of a key, with its id and the token that opens it. */
const create = Effect.fnUntraced(function* (port: number, key: string) {
  const { text } = yield* request(port, "POST /api/v4/browsers", { "X-Service-API-Key": key }, "{}")
  const { cdpUrl, id }: { readonly cdpUrl: string; readonly id: string } = JSON.parse(
    text.slice(text.indexOf("\r\n\r\n"))
  )
  const url = new URL(cdpUrl)
  return { id, cdpUrl, path: url.pathname, token: url.searchParams.get("token") ?? "" }
})

/** What a browser says to one command of a client. */
const command = (cdpUrl: string, method: string, params: object = {}) =>
  Effect.callback<string>((resume) => {
    const socket = new WebSocket(cdpUrl)
    socket.once("open", () => socket.send(JSON.stringify({ id: 1, method, params })))
    socket.once("message", (data) => {
      socket.terminate()
      resume(Effect.succeed(String(data)))
    })
    socket.once("error", (error) => resume(Effect.succeed(error.message)))
    return Effect.sync(() => socket.terminate())
  })

/** A client that stays until the scope closes. */
const connected = (cdpUrl: string) =>
  Effect.acquireRelease(
    Effect.callback<WebSocket>((resume) => {
      const socket = new WebSocket(cdpUrl)
      socket.once("open", () => resume(Effect.succeed(socket)))
    }),
    (socket) => Effect.sync(() => socket.terminate())
  )

it.live("a browser opens only with its own token, and to no web page", () =>
  Effect.gen(function* () {
    const { address, find, level, port } = yield* served
    const [ann, bob] = yield* Effect.all([create(port, "ann"), create(port, "bob")])
    assert.match(yield* command(ann.cdpUrl, "Browser.getVersion"), /"product":/u)

    // foreign tokens
    const half = ann.token.slice(0, -2)
    for (const token of [bob.token, half, `${ann.token}A`, ann.token.toUpperCase(), "", "%00", "ann", `${half}%00`]) {
      for (const path of ["", "/json", "/json/version", "/json/list", "/devtools/page/1"]) {
        assert.strictEqual((yield* request(port, `GET ${ann.path}${path}?token=${token}`)).status, 404, token)
      }
      assert.strictEqual((yield* request(port, `GET ${ann.path}?token=${token}`, upgrade)).status, 404, token)
    }
    const twice = yield* request(port, `GET ${ann.path}?token=${bob.token}&token=${bob.token}`, upgrade)
    assert.strictEqual(twice.status, 404)

    // path tricks: none of them gets from one browser to another, or past the endpoint to Chromium's own
    for (const path of [
      `${ann.path}/../../${bob.id}/cdp`,
      `${ann.path}/..%2f..%2f${bob.id}%2fcdp`,
      `${ann.path}/%2e%2e/%2e%2e/${bob.id}/cdp`,
      `${ann.path}\\..\\..\\${bob.id}\\cdp`,
      `${bob.path};${ann.path}`,
      `${bob.path}%3f`,
      `${bob.path}/`,
      `/api/v4/browsers/${ann.id},${bob.id}/cdp`,
      `/api/v4/browsers/${ann.id}%2f${bob.id}/cdp`,
      `/api/v4/browsers/${bob.id}%00/cdp`,
      `${ann.path}/json/new`,
      `${ann.path}/json/protocol`,
      `${ann.path}/json/version/../list`,
      `${ann.path}/devtools/browser/1`,
      `${ann.path}/devtools/page/1`,
      `${ann.path}/devtools/page/..%2fbrowser%2f1`,
      `${ann.path}/devtools/page/../browser/1`,
      `${ann.path}/devtools/page/%00`,
      `${ann.path}%2fjson%2flist`,
      "/json/version",
      "/json/list",
      "/devtools/browser/1"
    ]) {
      for (const headers of [{}, upgrade]) {
        const { status, text } = yield* request(port, `GET ${path}?token=${ann.token}`, headers)
        assert.include([400, 404], status, path)
        assert.notInclude(text, bob.token)
      }
    }

    // another key's browser is not there
    for (const body of [`{"action":"stop"}`, "{}"]) {
      const { status } = yield* request(port, `PATCH /api/v4/browsers/${ann.id}`, { "X-Service-API-Key": "bob" }, body)
      assert.include([404, 422], status)
    }
    assert.match(yield* command(ann.cdpUrl, "Browser.getVersion"), /"product":/u)

    // web pages, and names that lead here: no answer helps a page that has no token
    for (const origin of ["http://evil.test", "null", address, "https://127.0.0.1"]) {
      const page = yield* request(port, `GET ${ann.path}?token=${ann.token}`, { ...upgrade, Origin: origin })
      assert.strictEqual(page.status, 403, origin)
      const json = yield* request(port, `GET ${ann.path}/json/version?token=${ann.token}`, { Origin: origin })
      assert.strictEqual(json.status, 403, origin)
    }
    for (const query of ["", `?token=${ann.token}`]) {
      const rebound = yield* request(port, `GET ${ann.path}/json/version${query}`, { Host: "evil.test" })
      assert.strictEqual(rebound.status, 403, "evil.test")
      assert.notInclude(rebound.text, ann.token)
    }

    // what ends or tells of more than a browser
    for (const method of ["Browser.crash", "Browser.getBrowserCommandLine", "SystemInfo.getInfo", "Tethering.bind"]) {
      assert.match(yield* command(ann.cdpUrl, method), /"error"/u, method)
    }
    assert.match(yield* command(ann.cdpUrl, "Browser.close"), /"result":\{\}/u)
    assert.match(yield* command(ann.cdpUrl, "Browser.getVersion"), /"product":/u)

    // DevTools themselves
    if (level === "namespaces") {
      const { devTools, folder } = yield* find(ann.id)
      assert.isNotNull(devTools.connect)
      assert.strictEqual(statSync(folder).mode & 0o777, 0o700)
    }

    // a stopped browser's token
    yield* request(port, `PATCH /api/v4/browsers/${ann.id}`, { "X-Service-API-Key": "ann" }, `{"action":"stop"}`)
    assert.strictEqual((yield* request(port, `GET ${ann.path}?token=${ann.token}`, upgrade)).status, 410)
    assert.strictEqual((yield* request(port, `GET ${bob.path}?token=${ann.token}`, upgrade)).status, 404)
  }).pipe(Effect.scoped, Effect.provide(layerEgress()))
)

it.live("a server refuses requests that are too large, and serves others meanwhile", () =>
  Effect.gen(function* () {
    const { port } = yield* served
    const long = "x".repeat(100_000)
    assert.strictEqual((yield* request(port, `GET /api/v4/browsers/${long}/cdp`)).status, 431)
    assert.strictEqual((yield* request(port, "GET /api/v4/browsers", { "X-Long": long })).status, 431)
    const body = JSON.stringify({ proxyCountryCode: "x".repeat(20_000_000) })
    const { status } = yield* request(port, "POST /api/v4/browsers", { "X-Service-API-Key": "ann" }, body)
    assert.include([413, 422], status)
    const { cdpUrl, path, token } = yield* create(port, "ann")
    // the head of a message of 256 MiB and one byte, without its body
    const client = yield* talk(port)
    const head = Object.entries({ Host: `127.0.0.1:${port}`, ...upgrade }).map(
      ([name, value]) => `${name}: ${value}\r\n`
    )
    client.socket.write(`GET ${path}?token=${token} HTTP/1.1\r\n${head.join("")}\r\n`)
    yield* Effect.promise(() => client.until("101 Switching"))
    client.socket.write(Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0x10, 0, 0, 1, 0, 0, 0, 0]))
    const tooLarge = String.fromCharCode(1009 >> 8, 1009 & 255)
    assert.include(yield* Effect.promise(() => client.ended), tooLarge)
    // one client more than a browser takes
    const all = yield* Effect.forEach(Array.from({ length: 16 }), () => connected(cdpUrl))
    assert.strictEqual(all.length, 16)
    assert.strictEqual((yield* request(port, `GET ${path}?token=${token}`, upgrade)).status, 429)
    all[0]?.close()
    assert.match(
      yield* Effect.repeat(command(cdpUrl, "Browser.getVersion"), { until: (said) => said.includes("product") }),
      /product/u
    )
  }).pipe(Effect.scoped, Effect.provide(layerEgress()))
)
