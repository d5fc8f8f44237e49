import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { createHook } from "node:async_hooks"
import type { IncomingMessage, ServerResponse } from "node:http"
import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import * as Listener from "../../../src/http/listener/Listener.ts"
import { Server } from "../../../src/Server.ts"
import { send } from "../send.ts"
import { layerTest } from "../served.ts"

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
  ["never finishes its request", () => "GET /health HTTP/1.1\r\nHost: x\r\n", false],
  ["never sends the announced body", () => "POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n", true],
  ["never closes its CDP socket", upgrade, true]
]

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** Reads the body after a time, and responds with its length after the same time. */
const respondAfter =
  (pause_ms: number): Handle =>
  (request, response) => {
    const read = async () => {
      await sleep(pause_ms)
      let length = 0
      for await (const bytes of request) length += bytes.length
      await sleep(pause_ms)
      response.end(String(length))
    }
    read().catch(() => undefined)
  }

/** Connects to a listener with these time limits, and sends `head`. By default, the response is the length of the body. */
const upload = Effect.fnUntraced(function* (
  limits: Listener.RequestTimeouts,
  head: string,
  handle: Handle = respondAfter(0)
) {
  const layer = Listener.layer({ host: "127.0.0.1", port: 0 }).pipe(
    Layer.provide(Layer.succeed(Listener.RequestTimeouts, limits)),
    Layer.fresh
  )
  const { node, sockets } = Context.get(yield* Layer.build(layer), Listener.NodeListener)
  node.on("request", handle)
  const address = node.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return yield* Effect.acquireRelease(
    Effect.callback<{ readonly socket: Socket; readonly received: () => string; readonly sockets: typeof sockets }>(
      (resume) => {
        // the client never closes its end
        const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true })
        let received = ""
        socket.setEncoding("latin1").on("data", (text) => (received += String(text)))
        socket.on("error", () => undefined)
        socket.write(head, () => resume(Effect.succeed({ socket, sockets, received: () => received })))
      }
    ),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )
})

/** A head that promises this many bytes. */
const headOf = (length: number) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`

const until = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (isSo() ? Effect.void : Effect.andThen(Effect.sleep("5 millis"), until(isSo))))

const lateAnswer =
  /^HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n[\s\S]*\{"detail":"The request did not arrive in time\. Send it again"\}$/u

describe("Listener", () => {
  it.live("disconnects clients that never finish a request, and serves others meanwhile", () =>
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

  for (const [kind, sent, limits] of [
    ["stops in its body", headOf(9) + "1234", { upload_ms: 3_600_000, whole_ms: 3_600_000, progress_ms: 100 }],
    [
      "stops in a chunk",
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12",
      { upload_ms: 3_600_000, whole_ms: 3_600_000, progress_ms: 100 }
    ],
    [
      "stops in its head",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-",
      { upload_ms: 3_600_000, whole_ms: 100, progress_ms: 3_600_000 }
    ]
  ] as const) {
    it.live(`returns 408 for a request that ${kind}, and closes its connection`, () =>
      Effect.gen(function* () {
        const { received, sockets } = yield* upload(limits, sent)
        yield* until(() => received() !== "")
        // also at the server, although the client keeps its end open
        yield* until(() => sockets.size === 0)
        assert.match(received(), lateAnswer)
      }).pipe(Effect.scoped)
    )
  }

  it.live("returns 408 for a request that keeps sending and never finishes", () =>
    Effect.gen(function* () {
      const limits = { upload_ms: 3_600_000, whole_ms: 300, progress_ms: 3_600_000 }
      const { received, socket, sockets } = yield* upload(limits, headOf(1_000_000))
      const trickle = Effect.forever(
        Effect.andThen(
          Effect.sync(() => socket.write("x")),
          Effect.sleep("10 millis")
        )
      )
      yield* Effect.raceFirst(
        trickle,
        until(() => sockets.size === 0 && received() !== "")
      )
      assert.match(received(), lateAnswer)
    }).pipe(Effect.scoped)
  )

  it.live("allows more time for the bytes of a file than for other requests", () =>
    Effect.gen(function* () {
      const limits = { upload_ms: 3_600_000, whole_ms: 300, progress_ms: 3_600_000 }
      const head = headOf(60).replace("POST /", "PUT /uploads/id")
      const { received, socket } = yield* upload(limits, head)
      for (let sent = 0; sent < 60; sent++) {
        socket.write("x")
        yield* Effect.sleep("10 millis")
      }
      yield* until(() => received() !== "")
      assert.match(received(), /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n60$/u)
    }).pipe(Effect.scoped)
  )

  it.live("reads a large body that arrives slowly to its end", () => {
    const progress_ms = 300
    const part = "x".repeat(64 * 1024)
    const attempt = Effect.gen(function* () {
      const client = yield* upload({ upload_ms: 3_600_000, whole_ms: 3_600_000, progress_ms }, headOf(10 * part.length))
      let longest_ms = 0
      for (let count = 0; count < 10; count++) {
        const [took] = yield* Effect.timed(Effect.sleep("50 millis"))
        longest_ms = Math.max(longest_ms, Duration.toMillis(took))
        client.socket.write(part)
      }
      const [took] = yield* Effect.timed(until(() => client.received() !== ""))
      return { received: client.received(), longest_ms: Math.max(longest_ms, Duration.toMillis(took)) }
    }).pipe(Effect.scoped)
    return Effect.gen(function* () {
      // a machine that stops for longer than the limit proves nothing
      const { received } = yield* Effect.repeat(attempt, { while: ({ longest_ms }) => longest_ms > progress_ms / 2 })
      assert.match(received, new RegExp(`^HTTP/1\\.1 200 [\\s\\S]*\r\n\r\n${10 * part.length}$`, "u"))
    })
  })

  for (const length of [2, 512 * 1024]) {
    it.live(`accepts a request of ${length} bytes even if the server reads and responds late`, () =>
      Effect.gen(function* () {
        const limits = { upload_ms: 3_600_000, whole_ms: 3_600_000, progress_ms: 50 }
        const { received } = yield* upload(limits, headOf(length) + "x".repeat(length), respondAfter(300))
        yield* until(() => received() !== "")
        assert.match(received(), new RegExp(`^HTTP/1\\.1 200 [\\s\\S]*\r\n\r\n${length}$`, "u"))
      }).pipe(Effect.scoped)
    )
  }

  it.live("lets a server read a large body after the limit if it has arrived", () =>
    Effect.gen(function* () {
      const length = 512 * 1024
      const limits = { upload_ms: 3_600_000, whole_ms: 200, progress_ms: 3_600_000 }
      const { received } = yield* upload(limits, headOf(length) + "x".repeat(length), respondAfter(300))
      yield* until(() => received() !== "")
      assert.match(received(), new RegExp(`^HTTP/1\\.1 200 [\\s\\S]*\r\n\r\n${length}$`, "u"))
    }).pipe(Effect.scoped)
  )

  it.live("keeps a connection open if its server reads a body long after it arrived", () =>
    Effect.gen(function* () {
      const limits = { upload_ms: 3_600_000, whole_ms: 200, progress_ms: 3_600_000 }
      const { received, socket } = yield* upload(limits, headOf(2), respondAfter(300))
      yield* Effect.sleep("20 millis")
      socket.write("xx")
      yield* until(() => received().includes("\r\n\r\n2"))
      socket.write(`${headOf(3)}xxx`)
      yield* until(() => received().includes(" 408 ") || received().endsWith("\r\n\r\n3"))
      assert.notInclude(received(), " 408 ")
    }).pipe(Effect.scoped)
  )

  it.live("leaves no timer of a request that got an early response when the server closes", () =>
    Effect.gen(function* () {
      // no other timer has this length
      const whole_ms = 37
      const timers: Array<NodeJS.Timeout> = []
      const hook = createHook({
        init: (_id, type, _trigger, timer) => {
          if (type === "Timeout" && "_idleTimeout" in timer && timer._idleTimeout === whole_ms) {
            timers.push(timer as object as NodeJS.Timeout)
          }
        }
      })
      yield* Effect.acquireRelease(
        Effect.sync(() => hook.enable()),
        () => Effect.sync(() => hook.disable())
      )
      const length = 512 * 1024
      const limits = { upload_ms: 3_600_000, whole_ms, progress_ms: 3_600_000 }
      const scope = yield* Scope.make()
      yield* Effect.gen(function* () {
        const { received } = yield* upload(limits, headOf(length) + "x".repeat(length), (request, response) => {
          request.once("data", () => {
            request.pause()
            response.end("early")
          })
        })
        yield* until(() => received() !== "")
        yield* until(() => timers.length > 3)
        assert.isFalse(timers.some((timer) => timer.hasRef()))
      }).pipe(Effect.provideService(Scope.Scope, scope))
      yield* Scope.close(scope, Exit.void)
      const { length: started } = timers
      yield* Effect.sleep(5 * whole_ms)
      assert.lengthOf(timers, started)
    }).pipe(Effect.scoped)
  )

  it.live("asks clients to keep idle connections longer than proxies do", () =>
    Effect.gen(function* () {
      const { address } = yield* Server
      const { headers } = yield* Effect.promise((signal) => fetch(`${address}/health`, { signal }))
      const [, seconds] = /^timeout=(\d+)$/u.exec(headers.get("keep-alive") ?? "") ?? []
      // nginx and most load balancers keep theirs for 60 seconds
      assert.isAbove(Number(seconds), 60)
    }).pipe(Effect.provide(Layer.fresh(layerTest)))
  )

  it.live("holds a request that arrives before the app is ready, and responds then", () =>
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
    it.live(`stops immediately although a client ${what}`, () =>
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
