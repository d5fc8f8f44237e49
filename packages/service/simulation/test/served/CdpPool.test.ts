import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { connect } from "node:net"
import type { WebSocket } from "ws"
import { BrowserPool, type CdpMessage, Engine, MemoryStore } from "@webagent/engine"
import { ApiKeyAuth, RequestValidation, Server } from "@webagent/server"
import { SeededIds } from "../../src/behavior/SeededIds.ts"
import * as BehavingBrowserPool from "../../src/browser/BehavingBrowserPool.ts"
import { Behavior } from "../../src/behavior/Behavior.ts"
import * as ports from "../ports.ts"
import { ask, closed, create, hangUps, open, pathOf, stop, version } from "./cdp.ts"

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
  Server.layerWithAuth({ apiKeys: ["wak_test"] }).pipe(
    Layer.provide([ApiKeyAuth.layer(["wak_test"]), RequestValidation.layer]),
    Layer.provide(Engine.layer),
    Layer.provide([ports.agent(), MemoryStore.layer, SeededIds.layer(() => 1)]),
    Layer.provideMerge(pool)
  )

describe("CdpEndpoint and its pool", () => {
  for (const [how, hangUp] of hangUps) {
    it.live(`returns a connection that is ${how} to the pool, while the browser keeps running`, () =>
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

  it.live("stops without waiting for a client that doesn't read", () =>
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

  it.live("resets the socket at a drop, and the browser keeps running with its pages", () =>
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
      Effect.provide(serverOver(Layer.provide(BehavingBrowserPool.layer, Behavior.layer())), {
        local: true
      })
    )
  )

  it.live("makes a client that doesn't read delay its own commands, without using memory or delaying others", () => {
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
