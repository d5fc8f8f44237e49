import { assert, describe, it, layer } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { connect, Socket } from "node:net"
import { type ClientOptions, WebSocket } from "ws"
import { BrowserPool, type CdpMessage, Engine, MemoryStore } from "@webagent/engine"
import { ApiKeyAuth, RequestValidation, Server } from "@webagent/server"
import { send } from "../send.ts"
import * as SimulatedService from "../../src/SimulatedService.ts"
import { SeededIds } from "../../src/behaviour/SeededIds.ts"
import * as BehavingBrowserPool from "../../src/browser/BehavingBrowserPool.ts"
import { Behaviour } from "../../src/behaviour/Behaviour.ts"
import * as ports from "../ports.ts"

const version = '{"id":1,"method":"Browser.getVersion"}'

const create = Effect.map(send("POST", "/api/v4/browsers"), ({ body }) => ({
  id: String(body["id"]),
  cdpUrl: String(body["cdpUrl"])
}))

const stop = (id: string) => send("PATCH", `/api/v4/browsers/${id}`, { body: { action: "stop" } })

/** An open connection, or the HTTP answer that came instead. */
const open = (url: string, options: ClientOptions = {}) =>
  Effect.acquireRelease(
    Effect.callback<{
      readonly socket: WebSocket
      readonly wire: Socket
      readonly refusal: { readonly status: number; readonly body: string } | null
    }>((resume) => {
      const socket = new WebSocket(url, options)
      let wire = new Socket()
      socket.once("upgrade", (response) => (wire = response.socket))
      socket.once("open", () => resume(Effect.succeed({ socket, wire, refusal: null })))
      socket.once("unexpected-response", (_request, response) => {
        let body = ""
        response.on("data", (chunk) => (body += String(chunk)))
        response.on("end", () =>
          resume(Effect.succeed({ socket, wire, refusal: { status: response.statusCode ?? 0, body } }))
        )
      })
      socket.on("error", () => undefined)
    }),
    ({ socket }) => Effect.sync(() => socket.terminate())
  )

const ask = (socket: WebSocket, message: string) =>
  Effect.callback<unknown>((resume) => {
    socket.once("message", (data) => resume(Effect.sync(() => JSON.parse(String(data)))))
    socket.send(message)
  })

const closed = (socket: WebSocket) =>
  Effect.callback<number>((resume) => {
    socket.once("close", (code) => resume(Effect.succeed(code)))
  })

/** Begins a message of this length and sends nothing of it. */
const announce = (wire: Socket, length: number) => {
  const head = Buffer.alloc(14)
  head.writeUInt8(0x81, 0)
  head.writeUInt8(0xff, 1)
  head.writeBigUInt64BE(BigInt(length), 2)
  wire.write(head)
}

/** The path of a link, with its token. */
const pathOf = (link: string) => new URL(link).pathname + new URL(link).search

const versionPath = (cdpUrl: string) => pathOf(cdpUrl).replace("?", "/json/version?")

const isActive = (cdpUrl: string) => Effect.map(send("GET", pathOf(cdpUrl)), ({ status }) => status === 426)

/** How a client leaves. */
const hangUps = [
  ["closed", (socket: WebSocket) => socket.close()],
  ["cut", (socket: WebSocket) => socket.terminate()]
] as const

layer(SimulatedService.layerTest, { excludeTestServices: true })("CdpEndpoint", (it) => {
  it.effect("answers Browser.getVersion, and -32601 to what it does not know, in order", () =>
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
    it.effect(`a connection that is ${how} leaves the browser as it is: another one works`, () =>
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

  it.effect("several connections at once each get their own answers", () =>
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

  it.effect("stop closes what is connected with 4001, refuses what comes with 410, and is idempotent", () =>
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

  it.effect("an unknown browser is 404 before the upgrade", () =>
    Effect.gen(function* () {
      const { baseUrls } = yield* Server
      const { refusal } = yield* open(`${baseUrls.v4.replace("http", "ws")}/browsers/unknown/cdp`)
      assert.deepStrictEqual(refusal, { status: 404, body: '{"detail":"Browser not found"}' })
    })
  )

  it.effect("without its token, or with a wrong one, a browser is as good as unknown, also a stopped one", () =>
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

  it.effect("a request that is no WebSocket is told so", () =>
    Effect.gen(function* () {
      const { cdpUrl } = yield* create
      const answer = yield* send("GET", pathOf(cdpUrl), { key: null })
      assert.deepStrictEqual(
        [answer.status, answer.body],
        [426, { detail: "This is a CDP endpoint: connect with a WebSocket" }]
      )
    })
  )

  it.effect("Browser.close ends the connection with 1000, and the browser runs on", () =>
    Effect.gen(function* () {
      const { cdpUrl } = yield* create
      const { socket } = yield* open(cdpUrl)
      const code = yield* Effect.forkChild(closed(socket), { startImmediately: true })
      assert.deepStrictEqual(yield* ask(socket, '{"id":1,"method":"Browser.close"}'), { id: 1, result: {} })
      assert.strictEqual(yield* Fiber.join(code), 1000)
      assert.isTrue(yield* isActive(cdpUrl))
    })
  )

  it.effect("what is no command is refused, whatever it is, and the connection goes on", () =>
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

  it.effect("a message over 256 MiB ends its connection with 1009 before it is read; one of 2 MiB is read", () =>
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

  it.effect("a binary message is read as text, characters whole; a ping is answered; nothing is compressed", () =>
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

  it.effect("web pages are refused, whatever they know, and a seventeenth client is asked to come again", () =>
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

  it.effect("a page that gave its own name this machine's address is refused", () =>
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

  it.effect("says the browser's version and its address where libraries look for it, with the token alone", () =>
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

  it.effect("a frame that is no WebSocket's ends its connection and nothing else", () =>
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

  it.effect("a server that stops hangs up, even on clients that would stay", () =>
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

/** Waits for this count of connections, not for long, and says the count. */
const reaches = (held: SubscriptionRef.SubscriptionRef<number>) => (count: number) =>
  SubscriptionRef.changes(held).pipe(
    Stream.filter((current) => current === count),
    Stream.take(1),
    Stream.runDrain,
    Effect.timeoutOption("1 minute"),
    Effect.andThen(SubscriptionRef.get(held))
  )

/** Opens a page with long descriptions, and asks for one `total` times without reading the answers. */
const flood = Effect.fnUntraced(function* (socket: WebSocket, total: number) {
  const url = `data:,${"x".repeat(250_000)}`
  const created = yield* ask(socket, JSON.stringify({ id: 1, method: "Target.createTarget", params: { url } }))
  const { targetId } = (created as { readonly result: { readonly targetId: string } }).result
  const question = JSON.stringify({ id: 2, method: "Target.getTargetInfo", params: { targetId } })
  socket.pause()
  for (let count = 0; count < total; count++) socket.send(question)
})

/** The simulated browsers, and in `open` how many connections to them are held at the moment. */
const counting = (open: SubscriptionRef.SubscriptionRef<number>) =>
  Layer.effect(
    BrowserPool,
    Effect.map(BrowserPool, (pool) => ({
      launch: (browser) =>
        Effect.map(pool.launch(browser), (launched) => ({
          ...launched,
          connect: Effect.andThen(
            Effect.acquireRelease(
              SubscriptionRef.update(open, (held) => held + 1),
              () => SubscriptionRef.update(open, (held) => held - 1)
            ),
            launched.connect
          )
        }))
    }))
  ).pipe(Layer.provide(ports.browsers))

const serverOver = <Extra = never>(pool: Layer.Layer<BrowserPool | Extra>) =>
  Server.layer().pipe(
    Layer.provide([ApiKeyAuth.layer(["wak_test"]), RequestValidation.layer]),
    Layer.provide(Engine.layer),
    Layer.provide([ports.agent(), MemoryStore.layer, SeededIds.layer(() => 1)]),
    Layer.provideMerge(pool)
  )

describe("CdpEndpoint and its pool", () => {
  for (const [how, hangUp] of hangUps) {
    it.live(`a connection that is ${how} is given back to the pool, while the browser runs on`, () =>
      Effect.gen(function* () {
        const held = yield* SubscriptionRef.make(0)
        const until = reaches(held)
        yield* Effect.gen(function* () {
          const { cdpUrl } = yield* create
          const [first, second] = [yield* open(cdpUrl), yield* open(cdpUrl)]
          yield* ask(first.socket, version)
          assert.strictEqual(yield* until(2), 2)
          hangUp(first.socket)
          assert.strictEqual(yield* until(1), 1)
          assert.property(yield* ask(second.socket, version), "result")
          hangUp(second.socket)
          assert.strictEqual(yield* until(0), 0)
        }).pipe(Effect.provide(serverOver(counting(held)), { local: true }))
      })
    )
  }

  it.live("a stop does not wait for a client that does not read", () =>
    Effect.gen(function* () {
      const held = yield* SubscriptionRef.make(0)
      yield* Effect.gen(function* () {
        const { cdpUrl, id } = yield* create
        const { socket } = yield* open(cdpUrl)
        yield* flood(socket, 300)
        const other = yield* open(cdpUrl)
        yield* ask(other.socket, version)
        assert.strictEqual(yield* reaches(held)(2), 2)
        yield* stop(id)
        assert.strictEqual(yield* reaches(held)(0), 0)
      }).pipe(Effect.provide(serverOver(counting(held)), { local: true }))
    })
  )

  it.live("a drop resets the socket without a word, and the browser runs on with its pages", () =>
    Effect.gen(function* () {
      const { cdpUrl, id } = yield* create
      const { hostname, port } = new URL(cdpUrl)
      const upgrade =
        `GET ${pathOf(cdpUrl)} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
      const connected = yield* Deferred.make<string>()
      const cut = yield* Effect.forkChild(
        Effect.callback<{ readonly code: string; readonly afterwards: number }>((resume) => {
          const socket = connect(Number(port), hostname)
          let received = 0
          socket.on("data", (chunk: Buffer) => {
            if (received === 0) Deferred.doneUnsafe(connected, Effect.succeed(String(chunk).slice(0, 12)))
            else received += chunk.length
            received ||= 1
          })
          socket.on("error", (error: NodeJS.ErrnoException) =>
            resume(Effect.succeed({ code: error.code ?? "", afterwards: received - 1 }))
          )
          socket.on("end", () => resume(Effect.succeed({ code: "an orderly end", afterwards: received - 1 })))
          socket.write(upgrade)
          return Effect.sync(() => socket.destroy())
        }),
        { startImmediately: true }
      )
      assert.strictEqual(yield* Deferred.await(connected), "HTTP/1.1 101")
      const { socket } = yield* open(cdpUrl)
      yield* ask(socket, '{"id":1,"method":"Target.createTarget","params":{"url":"data:,kept"}}')
      const code = yield* Effect.forkChild(closed(socket), { startImmediately: true })
      assert.isTrue(yield* BehavingBrowserPool.BrowserConnections.use(({ drop }) => drop(id)))
      assert.isFalse(yield* BehavingBrowserPool.BrowserConnections.use(({ drop }) => drop("unknown")))
      assert.deepStrictEqual(yield* Fiber.join(cut), { code: "ECONNRESET", afterwards: 0 })
      assert.strictEqual(yield* Fiber.join(code), 1006)
      const again = yield* open(cdpUrl)
      assert.include(JSON.stringify(yield* ask(again.socket, '{"id":2,"method":"Target.getTargets"}')), "data:,kept")
    }).pipe(
      Effect.provide(serverOver(Layer.provide(BehavingBrowserPool.layer, Behaviour.layer())), {
        local: true
      })
    )
  )

  it.live("a client that does not read makes its own commands wait, not the memory grow, and not others", () => {
    let handled = 0
    const noting = Layer.effect(
      BrowserPool,
      Effect.map(BrowserPool, (pool) => ({
        launch: (browser) =>
          Effect.map(pool.launch(browser), (launched) => ({
            ...launched,
            connect: Effect.map(launched.connect, (connection) => ({
              ...connection,
              send: (message: CdpMessage) => {
                const takes = connection.send(message)
                if (takes) handled++
                return takes
              }
            }))
          }))
      }))
    ).pipe(Layer.provide(ports.browsers))
    return Effect.gen(function* () {
      const { cdpUrl } = yield* create
      const { socket } = yield* open(cdpUrl)
      const total = 300
      yield* flood(socket, total)
      const other = yield* open(cdpUrl)
      for (let count = 0; count < 20; count++) yield* ask(other.socket, version)
      assert.isBelow(handled, 170)
      const all = Effect.callback<number>((resume) => {
        let answers = 0
        socket.on("message", () => {
          if (++answers === total) resume(Effect.succeed(answers))
        })
        socket.resume()
      })
      assert.strictEqual(yield* all, total)
    }).pipe(Effect.provide(serverOver(noting), { local: true }))
  })
})
