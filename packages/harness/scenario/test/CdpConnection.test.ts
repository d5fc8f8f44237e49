import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Socket from "effect/socket/Socket"
import { TestClock } from "effect/testing"
import * as CdpConnection from "../src/CdpConnection.ts"

type Listener = (event: Socket.WebSocketEvent) => void

/** A WebSocket whose other end is this test. */
class Peer implements Socket.WebSocketLike {
  readyState = 1
  readonly sent: Array<{ readonly id: number; readonly method: string }> = []
  readonly listeners = new Map<string, Set<Listener>>()
  addEventListener(type: string, listener: Listener) {
    this.listeners.set(type, (this.listeners.get(type) ?? new Set()).add(listener))
  }
  removeEventListener(type: string, listener: Listener) {
    this.listeners.get(type)?.delete(listener)
  }
  emit(type: string, event: Socket.WebSocketEvent) {
    for (const listener of this.listeners.get(type) ?? []) listener(event)
  }
  answer(message: unknown) {
    this.emit("message", { data: typeof message === "string" ? message : JSON.stringify(message) })
  }
  close() {
    this.readyState = 3
    this.emit("close", { code: 1000 })
  }
  send(data: string | Uint8Array) {
    this.sent.push(JSON.parse(String(data)))
  }
}

const noHttp = HttpClient.make(() => Effect.never)

const connect = (peer: Peer, client = noHttp, url = "ws://x/cdp") =>
  CdpConnection.connect(client, url).pipe(Effect.provideService(Socket.WebSocketConstructor, () => peer))

describe("CdpConnection", () => {
  it.effect("answers come to the command that they belong to, in any order, between events", () =>
    Effect.gen(function* () {
      const peer = new Peer()
      const connection = yield* connect(peer)
      const both = yield* Effect.forkChild(
        Effect.all([connection.send("A.a"), connection.send("B.b", { x: 1 })], { concurrency: 2 })
      )
      yield* Effect.yieldNow
      yield* Effect.yieldNow
      assert.deepStrictEqual(
        peer.sent.map(({ method }) => method),
        ["A.a", "B.b"]
      )
      peer.answer({ method: "Some.event", params: {} })
      peer.answer("no json")
      peer.answer({ id: peer.sent[1]?.id, result: "b" })
      peer.answer({ id: peer.sent[0]?.id, result: { a: 1 } })
      assert.deepStrictEqual(yield* Fiber.join(both), [{ a: 1 }, "b"])
    })
  )

  it.effect("an error of the browser keeps its code", () =>
    Effect.gen(function* () {
      const peer = new Peer()
      const connection = yield* connect(peer)
      const fiber = yield* Effect.forkChild(Effect.flip(connection.send("No.such")))
      yield* Effect.yieldNow
      yield* Effect.yieldNow
      peer.answer({ id: 1, error: { code: -32_601, message: "not found" } })
      const error = yield* Fiber.join(fiber)
      assert.deepStrictEqual([error.message, error.code], ["not found", -32_601])
    })
  )

  it.effect("a lost connection fails what waits and what comes after", () =>
    Effect.gen(function* () {
      const peer = new Peer()
      const connection = yield* connect(peer)
      const fiber = yield* Effect.forkChild(Effect.flip(connection.send("A.a")))
      yield* Effect.yieldNow
      yield* Effect.yieldNow
      peer.close()
      assert.include((yield* Fiber.join(fiber)).message, "closed")
      yield* connection.closed
      assert.include((yield* Effect.flip(connection.send("B.b"))).message, "closed")
    })
  )

  it.effect("no answer within ten seconds is an error", () =>
    Effect.gen(function* () {
      const connection = yield* connect(new Peer())
      const fiber = yield* Effect.forkChild(Effect.flip(connection.send("A.a")))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).message, "No answer to A.a within ten seconds")
    })
  )

  it.effect("a refused upgrade says how it was refused", () =>
    Effect.gen(function* () {
      const peer = new Peer()
      peer.readyState = 0
      const fiber = yield* Effect.forkChild(Effect.flip(Effect.scoped(connect(peer))))
      yield* Effect.yieldNow
      yield* Effect.yieldNow
      const refusal: object = Object.assign(new Error("Unexpected server response: 410"), { type: "error" })
      peer.emit("error", refusal)
      assert.strictEqual(
        (yield* Fiber.join(fiber)).message,
        "The CDP connection was refused: Unexpected server response: 410"
      )
    })
  )

  it.effect("the connection closes with its scope", () =>
    Effect.gen(function* () {
      const peer = new Peer()
      yield* Effect.scoped(connect(peer))
      assert.strictEqual(peer.readyState, 3)
    })
  )

  it.effect("an HTTP address leads to its WebSocket", () =>
    Effect.gen(function* () {
      const peer = new Peer()
      const asked: Array<string> = []
      const client = HttpClient.make((request) => {
        asked.push(request.url)
        const body = { webSocketDebuggerUrl: "ws://x/devtools" }
        return Effect.succeed(HttpClientResponse.fromWeb(request, Response.json(body)))
      })
      const opened: Array<string> = []
      yield* CdpConnection.connect(client, "http://x:9222/").pipe(
        Effect.provideService(Socket.WebSocketConstructor, (url) => {
          opened.push(url)
          return peer
        })
      )
      assert.deepStrictEqual([asked, opened], [["http://x:9222/json/version"], ["ws://x/devtools"]])
    })
  )
})
