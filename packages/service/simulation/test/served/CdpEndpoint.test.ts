import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { Socket } from "node:net"
import { Server } from "@webagent/server"
import { send } from "../send.ts"
import * as SimulatedService from "../../src/SimulatedService.ts"
import { ask, closed, create, hangUps, open, pathOf, stop, version } from "./cdp.ts"

/** Begins a message of this length and sends nothing of it. */
const announce = (wire: Socket, length: number) => {
  const head = Buffer.alloc(14)
  head.writeUInt8(0x81, 0)
  head.writeUInt8(0xff, 1)
  head.writeBigUInt64BE(BigInt(length), 2)
  wire.write(head)
}

const versionPath = (cdpUrl: string) => pathOf(cdpUrl).replace("?", "/json/version?")

const isActive = (cdpUrl: string) => Effect.map(send("GET", pathOf(cdpUrl)), ({ status }) => status === 426)

layer(SimulatedService.layer({ publicUrl: "https://agent.example/agent" }), { excludeTestServices: true })(
  "CdpEndpoint behind a public URL",
  (it) => {
    it.effect("GET /json/version and /json/list name WebSockets under the public URL", () =>
      Effect.gen(function* () {
        const cdpUrl = String((yield* send("POST", "/api/v4/browsers", { body: {} })).body["cdpUrl"])
        const path = (url: string) => url.replace("wss://agent.example/agent", "")
        const found = yield* send("GET", path(cdpUrl).replace("?", "/json/version?"))
        assert.strictEqual(found.body["webSocketDebuggerUrl"], cdpUrl)
        const { text } = yield* send("GET", path(cdpUrl).replace("?", "/json/list?"))
        const [page] = JSON.parse(text)
        assert.isTrue(page.webSocketDebuggerUrl.startsWith("wss://agent.example/agent/api/v4/browsers/"))
      })
    )
  }
)

layer(SimulatedService.layerTest, { excludeTestServices: true })("CdpEndpoint", (it) => {
  it.effect("responds to Browser.getVersion, and with -32601 to unknown methods, in order", () =>
    Effect.gen(function* () {
      const { cdpUrl } = yield* create
      const { socket } = yield* open(cdpUrl)
      assert.nestedPropertyVal(yield* ask(socket, version), "result.product", "SimulatedBrowser/1.0")
      assert.nestedPropertyVal(yield* ask(socket, '{"id":2,"method":"Page.enable"}'), "error.code", -32_601)
      const answers: Array<unknown> = []
      const all = Effect.callback<void>((resume) => {
        socket.on("message", (data) => {
          answers.push(JSON.parse(String(data)).id)
          if (answers.length === 100) resume(Effect.void)
        })
        for (let id = 0; id < 100; id++) socket.send(JSON.stringify({ id, method: "Browser.getVersion" }))
      })
      yield* all
      assert.deepStrictEqual(
        answers,
        Array.from({ length: 100 }, (_, id) => id)
      )
    })
  )

  for (const [how, hangUp] of hangUps) {
    it.effect(`leaves the browser unchanged when a connection is ${how}, so that another one works`, () =>
      Effect.gen(function* () {
        const { cdpUrl } = yield* create
        const first = yield* open(cdpUrl)
        yield* ask(first.socket, version)
        const gone = yield* Effect.forkChild(closed(first.socket), { startImmediately: true })
        hangUp(first.socket)
        yield* Fiber.join(gone)
        const second = yield* open(cdpUrl)
        assert.property(yield* ask(second.socket, version), "result")
        assert.isTrue(yield* isActive(cdpUrl))
      })
    )
  }

  it.effect("sends several simultaneous connections their own responses", () =>
    Effect.gen(function* () {
      const { cdpUrl } = yield* create
      const connections = yield* Effect.forEach(Array.from({ length: 5 }), () => open(cdpUrl), { concurrency: 5 })
      const answers = yield* Effect.forEach(
        connections,
        ({ socket }, index) => ask(socket, JSON.stringify({ id: index, method: "Browser.getVersion" })),
        { concurrency: 5 }
      )
      assert.deepStrictEqual(
        answers.map((answer) => (answer as { id: number }).id),
        [0, 1, 2, 3, 4]
      )
    })
  )

  it.effect("closes connections with 4001 at a stop, refuses new ones with 410, and accepts repeated stops", () =>
    Effect.gen(function* () {
      const { cdpUrl, id } = yield* create
      const { socket } = yield* open(cdpUrl)
      const code = yield* Effect.forkChild(closed(socket), { startImmediately: true })
      const first = yield* stop(id)
      assert.strictEqual(first.status, 200)
      assert.deepInclude(first.body, { status: "stopped", cdpUrl: null })
      assert.strictEqual(yield* Fiber.join(code), 4001)
      const { refusal } = yield* open(cdpUrl)
      assert.deepStrictEqual(refusal, { status: 410, body: '{"detail":"Browser is stopped"}' })
      const second = yield* stop(id)
      assert.strictEqual(second.status, 200)
      assert.deepStrictEqual(second.body, first.body)
    })
  )

  it.effect("returns 404 for an unknown browser before the upgrade", () =>
    Effect.gen(function* () {
      const { baseUrls } = yield* Server
      const { refusal } = yield* open(`${baseUrls.v4.replace("http", "ws")}/browsers/unknown/cdp`)
      assert.deepStrictEqual(refusal, { status: 404, body: '{"detail":"Browser not found"}' })
    })
  )

  it.effect("treats a browser as unknown without its token or with a wrong one, even a stopped one", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* create, yield* create]
      const { origin, pathname, searchParams } = new URL(one.cdpUrl)
      const token = searchParams.get("token") ?? ""
      assert.match(token, /^[\w-]{43}$/u)
      const otherToken = new URL(other.cdpUrl).searchParams.get("token") ?? ""
      assert.notStrictEqual(token, otherToken)
      const wrong = [
        "",
        "?token",
        "?token=",
        `?token=${otherToken}`,
        `?token=${token}x`,
        `?token=${token.slice(0, -1)}`,
        `?token=${token}&token=${token}`,
        `?Token=${token}`
      ]
      const refusals = Effect.forEach(wrong, (query) =>
        Effect.map(Effect.scoped(open(`${origin}${pathname}${query}`)), ({ refusal }) => refusal)
      )
      const unknown = { status: 404, body: '{"detail":"Browser not found"}' }
      assert.deepStrictEqual(
        yield* refusals,
        wrong.map(() => unknown)
      )
      assert.isTrue(yield* isActive(one.cdpUrl))
      assert.isTrue(yield* isActive(one.cdpUrl.replace(one.id, one.id.toUpperCase())))
      yield* stop(one.id)
      assert.deepStrictEqual(
        yield* refusals,
        wrong.map(() => unknown)
      )
    })
  )

  it.effect("refuses a request that isn't a WebSocket, with a reason", () =>
    Effect.gen(function* () {
      const { cdpUrl } = yield* create
      const answer = yield* send("GET", pathOf(cdpUrl), { key: null })
      assert.deepStrictEqual(
        [answer.status, answer.body],
        [426, { detail: "This is a CDP endpoint: connect with a WebSocket" }]
      )
    })
  )

  it.effect("ends the connection with 1000 on Browser.close, and the browser keeps running", () =>
    Effect.gen(function* () {
      const { cdpUrl } = yield* create
      const { socket } = yield* open(cdpUrl)
      const code = yield* Effect.forkChild(closed(socket), { startImmediately: true })
      assert.deepStrictEqual(yield* ask(socket, '{"id":1,"method":"Browser.close"}'), { id: 1, result: {} })
      assert.strictEqual(yield* Fiber.join(code), 1000)
      assert.isTrue(yield* isActive(cdpUrl))
    })
  )

  it.effect("refuses any invalid command, and keeps the connection", () =>
    Effect.gen(function* () {
      const { socket } = yield* open((yield* create).cdpUrl)
      for (const message of [
        "",
        "{",
        "[]",
        "null",
        '{"id":1}',
        '{"id":1.5,"method":"x"}',
        "\u0000",
        "[".repeat(500_000)
      ]) {
        assert.nestedPropertyVal(yield* ask(socket, message), "error.code", -32_600)
      }
      assert.property(yield* ask(socket, version), "result")
    })
  )

  it.effect("closes a connection with 1009 before it reads a message over 256 MiB, but reads one of 2 MiB", () =>
    Effect.gen(function* () {
      const { cdpUrl } = yield* create
      const { socket, wire } = yield* open(cdpUrl)
      const padded = (length: number) => version.padEnd(length, " ")
      assert.property(yield* ask(socket, padded(2 * 1024 * 1024)), "result")
      const code = yield* Effect.forkChild(closed(socket), { startImmediately: true })
      announce(wire, 256 * 1024 * 1024 + 1)
      assert.strictEqual(yield* Fiber.join(code), 1009)
      assert.isTrue(yield* isActive(cdpUrl))
    })
  )

  it.effect("reads a binary message as text with whole characters, responds to a ping, and compresses nothing", () =>
    Effect.gen(function* () {
      const { socket } = yield* open((yield* create).cdpUrl)
      assert.strictEqual(socket.extensions, "")
      const pong = Effect.callback<string>((resume) => {
        socket.once("pong", (data) => resume(Effect.succeed(String(data))))
        socket.ping("still there?")
      })
      assert.strictEqual(yield* pong, "still there?")
      const bytes = Buffer.from('{"id":3,"method":"caf\u00e9"}')
      const answer = Effect.callback<string>((resume) => {
        socket.once("message", (data) => resume(Effect.succeed(String(data))))
        socket.send(bytes)
      })
      assert.include(yield* answer, "'caf\u00e9' wasn't found")
    })
  )

  it.effect("refuses web pages, whatever they know, and asks a seventeenth client to retry later", () =>
    Effect.gen(function* () {
      const { cdpUrl } = yield* create
      const { refusal } = yield* open(cdpUrl, { origin: "http://127.0.0.1" })
      assert.deepInclude(refusal, { status: 403 })
      const first = yield* open(cdpUrl)
      for (let count = 1; count < 16; count++) assert.isNull((yield* open(cdpUrl)).refusal)
      assert.deepInclude((yield* open(cdpUrl)).refusal, { status: 429 })
      assert.strictEqual((yield* send("GET", versionPath(cdpUrl))).status, 429)
      const code = yield* Effect.forkChild(closed(first.socket), { startImmediately: true })
      first.socket.close()
      yield* Fiber.join(code)
      const again = Effect.map(Effect.scoped(open(cdpUrl)), ({ refusal }) => refusal)
      yield* Effect.repeat(again, { while: (refused) => refused !== null })
    })
  )

  it.effect("refuses a page whose own host name resolves to this machine", () =>
    Effect.gen(function* () {
      const { cdpUrl } = yield* create
      const { refusal } = yield* open(cdpUrl, { headers: { host: "rebound.example:8080" } })
      const detail =
        'Host "rebound.example" is not allowed. Use 127.0.0.1, or allow the name where the server is started (--allow-host).'
      assert.deepStrictEqual(refusal, { status: 403, body: JSON.stringify({ detail }) })
      for (const host of ["localhost:1", "[::1]:1", "app.localhost"]) {
        assert.isNull((yield* open(cdpUrl, { headers: { host } })).refusal)
      }
    })
  )

  it.effect("returns the browser's version and address where libraries look for it, with only the token", () =>
    Effect.gen(function* () {
      const { cdpUrl } = yield* create
      const address = new URL(cdpUrl)
      for (const path of ["/json/version", "/json/version/"]) {
        const { body, status } = yield* send("GET", `${address.pathname}${path}${address.search}`)
        assert.strictEqual(status, 200)
        assert.deepInclude(body, { Browser: "SimulatedBrowser/1.0", webSocketDebuggerUrl: cdpUrl })
      }
      assert.strictEqual((yield* send("GET", `${address.pathname}/json/version?token=wrong`)).status, 404)
    })
  )

  it.effect("lists the pages, and is one page to a client that connects to its address", () =>
    Effect.gen(function* () {
      const { cdpUrl } = yield* create
      const { socket: browser } = yield* open(cdpUrl)
      yield* ask(
        browser,
        '{"id":1,"method":"Target.createTarget","params":{"url":"data:text/html,<title>two</title>"}}'
      )
      const listed = (path: string) =>
        Effect.promise(async () => {
          const answer = await fetch(cdpUrl.replace(/^ws/u, "http").replace("/cdp?", `/cdp${path}?`))
          return (await answer.json()) as ReadonlyArray<Readonly<Record<string, string>>>
        })
      const pages = yield* listed("/json/list")
      assert.deepStrictEqual(
        pages.map(({ type, url }) => [type, url]),
        [
          ["page", "about:blank"],
          ["page", "data:text/html,<title>two</title>"]
        ]
      )
      for (const path of ["/json", "/json/list/"]) assert.deepStrictEqual(yield* listed(path), pages)
      const { id = "", webSocketDebuggerUrl = "" } = pages[1] ?? {}
      assert.strictEqual(webSocketDebuggerUrl, cdpUrl.replace("/cdp?", `/cdp/devtools/page/${id}?`))
      const { socket } = yield* open(webSocketDebuggerUrl)
      const evaluate = '{"id":7,"method":"Runtime.evaluate","params":{"expression":"6"}}'
      assert.nestedPropertyVal(yield* ask(socket, evaluate), "result.result.value", 6)
      assert.nestedPropertyVal(yield* ask(browser, evaluate), "error.code", -32_601)
      const unknown = yield* open(webSocketDebuggerUrl.replace(id, "0".repeat(32)))
      assert.deepStrictEqual(unknown.refusal, { status: 404, body: '{"detail":"Page not found"}' })
      const guessed = yield* open(webSocketDebuggerUrl.replace(/token=.*/u, "token=wrong"))
      assert.strictEqual(guessed.refusal?.status, 404)
      const code = yield* Effect.forkChild(closed(socket), { startImmediately: true })
      yield* ask(browser, JSON.stringify({ id: 2, method: "Target.closeTarget", params: { targetId: id } }))
      assert.strictEqual(yield* Fiber.join(code), 1000)
    })
  )

  it.effect("closes only the connection that sent an invalid WebSocket frame", () =>
    Effect.gen(function* () {
      const { cdpUrl } = yield* create
      const { socket } = yield* open(cdpUrl)
      const { socket: other } = yield* open(cdpUrl)
      const code = yield* Effect.forkChild(closed(socket), { startImmediately: true })
      socket.send(Buffer.from([0xc3]), { binary: false })
      assert.strictEqual(yield* Fiber.join(code), 1007)
      assert.property(yield* ask(other, version), "result")
    })
  )

  it.effect("disconnects all clients when the server stops, even those that don't close", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(Layer.fresh(SimulatedService.layerTest), scope)
      const { cdpUrl } = yield* Effect.provideContext(create, context)
      const { socket } = yield* open(cdpUrl)
      const code = yield* Effect.forkChild(closed(socket), { startImmediately: true })
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* Fiber.join(code), 1001)
    })
  )
})
