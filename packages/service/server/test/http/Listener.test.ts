import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { connect, type Socket } from "node:net"
import * as Listener from "../../src/http/Listener.ts"
import { Server } from "../../src/Server.ts"
import { send } from "./send.ts"
import { layerTest } from "./served.ts"

/** A client that writes `text`, reads up to the first answer if there is one to come, and then just stays. */
const linger = Effect.fnUntraced(function* (text: string, answered: boolean) {
  const { address } = yield* Server
  const { hostname, port } = new URL(address)
  return yield* Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
      const stay = () => resume(Effect.succeed(socket))
      socket.on("error", () => undefined)
      socket.once("data", stay)
      socket.write(text, () => (answered ? undefined : stay()))
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )
})

const upgrade = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

const clients: ReadonlyArray<readonly [string, (path: string) => string, boolean]> = [
  ["keeps its connection open", () => "GET /health HTTP/1.1\r\nHost: x\r\n\r\n", true],
  ["never ends its request", () => "GET /health HTTP/1.1\r\nHost: x\r\n", false],
  [
    "never sends the body that it promised",
    () => "POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n",
    true
  ],
  ["never says goodbye on its CDP socket", upgrade, true]
]

describe("Listener", () => {
  it.live("lets clients go that never end a request, and answers others meanwhile", () =>
    Effect.gen(function* () {
      const { node } = yield* Listener.NodeListener
      node.on("request", (_, response) => response.writeHead(204).end())
      const address = node.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const answered = yield* Deferred.make<void>()
      const said = (text: string) =>
        Effect.callback<string>((resume) => {
          const socket = connect(port, "127.0.0.1")
          let all = ""
          socket.setEncoding("latin1").on("data", (chunk) => {
            all += String(chunk)
            if (text.startsWith("POST")) Deferred.doneUnsafe(answered, Effect.void)
          })
          socket.on("error", () => socket.destroy())
          socket.once("close", () => resume(Effect.succeed(all)))
          socket.write(text)
          return Effect.sync(() => socket.destroy())
        })
      const slow = yield* Effect.forkChild(
        Effect.all([said("GET / HTTP/1.1\r\nX: "), said("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1")], {
          concurrency: "unbounded"
        }),
        { startImmediately: true }
      )
      assert.match(yield* said("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), /^HTTP\/1\.1 204/u)
      yield* Deferred.await(answered)
      node.headersTimeout = 100
      node.requestTimeout = 100
      const [head, body] = yield* Fiber.join(slow)
      assert.match(head, /^HTTP\/1\.1 408/u)
      // this one has its answer, and is let go all the same
      assert.match(body, /^HTTP\/1\.1 204/u)
    }).pipe(Effect.provide(Listener.layer({ host: "127.0.0.1", port: 0 })))
  )

  it.live("tells clients to keep idle connections for longer than proxies do", () =>
    Effect.gen(function* () {
      const { address } = yield* Server
      const { headers } = yield* Effect.promise((signal) => fetch(`${address}/health`, { signal }))
      const [, seconds] = /^timeout=(\d+)$/u.exec(headers.get("keep-alive") ?? "") ?? []
      // nginx and most load balancers keep theirs for 60 seconds
      assert.isAbove(Number(seconds), 60)
    }).pipe(Effect.provide(Layer.fresh(layerTest)))
  )

  it.live("keeps a request that comes before there is an app, and answers it then", () =>
    Effect.gen(function* () {
      const { node } = yield* Listener.NodeListener
      const arrived = yield* Effect.forkChild(
        Effect.callback<void>((resume) => void node.once("connection", () => resume(Effect.void))),
        { startImmediately: true }
      )
      const address = node.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const answer = yield* Effect.forkChild(
        Effect.promise((signal) => fetch(`http://127.0.0.1:${port}/`, { signal })),
        { startImmediately: true }
      )
      yield* Fiber.join(arrived)
      yield* Effect.sleep("100 millis")
      node.on("request", (_, response) => response.writeHead(204).end())
      assert.strictEqual((yield* Fiber.join(answer)).status, 204)
    }).pipe(Effect.provide(Listener.layer({ host: "127.0.0.1", port: 0 })))
  )

  for (const [what, text, answered] of clients) {
    it.live(`stops at once under a client that ${what}`, () =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const context = yield* Layer.buildWithScope(Layer.fresh(layerTest), scope)
        yield* Effect.gen(function* () {
          const { body } = yield* send("POST", "/api/v4/browsers")
          const { pathname, search } = new URL(String(body["cdpUrl"]))
          yield* linger(text(pathname + search), answered)
        }).pipe(Effect.provideContext(context))
        // a stop that waits for such a client waits for thirty seconds or for ever
        yield* Effect.timeout(Scope.close(scope, Exit.void), "25 seconds")
        const again = yield* Effect.exit(Effect.provideContext(send("GET", "/health"), context))
        assert.isTrue(Exit.isFailure(again))
      })
    )
  }
})
