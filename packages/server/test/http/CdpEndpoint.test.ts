import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { WebSocket } from "ws"
import { Server } from "../../src/Server.ts"
import { exchange } from "./exchange.ts"

const version = '{"id":1,"method":"Browser.getVersion"}'

const create = Effect.map(exchange("POST", "/api/v4/browsers"), ({ body }) => ({
  id: String(body["id"]),
  cdpUrl: String(body["cdpUrl"])
}))

const stop = (id: string) => exchange("PATCH", `/api/v4/browsers/${id}`, { body: { action: "stop" } })

/** An open connection, or the HTTP answer that came instead. */
const open = (url: string) =>
  Effect.acquireRelease(
    Effect.callback<{
      readonly socket: WebSocket
      readonly refusal: { readonly status: number; readonly body: string } | null
    }>((resume) => {
      const socket = new WebSocket(url)
      socket.once("open", () => resume(Effect.succeed({ socket, refusal: null })))
      socket.once("unexpected-response", (_request, response) => {
        let body = ""
        response.on("data", (chunk) => (body += String(chunk)))
        response.on("end", () =>
          resume(Effect.succeed({ socket, refusal: { status: response.statusCode ?? 0, body } }))
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

const isActive = (id: string) =>
  Effect.map(exchange("GET", `/api/v4/browsers/${id}/cdp`), ({ status }) => status === 426)

layer(Server.layerTest, { excludeTestServices: true })("CdpEndpoint", (it) => {
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

  for (const [how, hangUp] of [
    ["closed", (socket: WebSocket) => socket.close()],
    ["cut", (socket: WebSocket) => socket.terminate()]
  ] as const) {
    it.effect(`a connection that is ${how} leaves the browser as it is: another one works`, () =>
      Effect.gen(function* () {
        const { cdpUrl, id } = yield* create
        const first = yield* open(cdpUrl)
        yield* ask(first.socket, version)
        const gone = yield* Effect.forkChild(closed(first.socket), { startImmediately: true })
        hangUp(first.socket)
        yield* Fiber.join(gone)
        const second = yield* open(cdpUrl)
        assert.property(yield* ask(second.socket, version), "result")
        assert.isTrue(yield* isActive(id))
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
      assert.deepStrictEqual([first.status, first.body["status"]], [200, "stopped"])
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
      const { refusal } = yield* open(`${baseUrls.v4.replace("http", "ws")}/browsers/nobody/cdp`)
      assert.deepStrictEqual(refusal, { status: 404, body: '{"detail":"Browser not found"}' })
    })
  )

  it.effect("a request that is no WebSocket is told so", () =>
    Effect.gen(function* () {
      const { id } = yield* create
      const answer = yield* exchange("GET", `/api/v4/browsers/${id}/cdp`, { key: null })
      assert.deepStrictEqual(
        [answer.status, answer.body],
        [426, { detail: "This is a CDP endpoint: connect with a WebSocket" }]
      )
    })
  )

  it.effect("a server that stops hangs up, even on clients that would stay", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(Layer.fresh(Server.layerTest), scope)
      const { cdpUrl } = yield* Effect.provideContext(create, context)
      const { socket } = yield* open(cdpUrl)
      const code = yield* Effect.forkChild(closed(socket), { startImmediately: true })
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* Fiber.join(code), 1001)
    })
  )
})
