import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Socket from "effect/socket/Socket"
import { TestClock } from "effect/testing"
import * as Cdp from "../src/index.ts"

type Listener = (event: Socket.WebSocketEvent) => void

/** A WebSocket whose other end is this test. */
class Peer implements Socket.WebSocketLike {
  readyState = 1
  readonly sent: Array<{ readonly id: number; readonly method: string; readonly sessionId?: string }> = []
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
  receive(message: unknown) {
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

const connect = (peer: Peer, options?: Cdp.CdpOptions) =>
  Cdp.connect("ws://x/cdp", options).pipe(Effect.provideService(Socket.WebSocketConstructor, () => peer))

const start = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

describe("Cdp.connect", () => {
  it.effect("returns each response to its command, in any order, and ignores unreadable messages", () =>
    Effect.gen(function* () {
      const peer = new Peer()
      const { send } = yield* connect(peer)
      const both = yield* start(Effect.all([send("A.a"), send("B.b", { x: 1 })], { concurrency: 2 }))
      assert.deepStrictEqual(
        peer.sent.map(({ method }) => method),
        ["A.a", "B.b"]
      )
      for (const message of [{ method: "Some.event", params: {} }, "no json", "null", { id: 99, result: {} }]) {
        peer.receive(message)
      }
      peer.receive({ id: peer.sent[1]?.id, result: { b: 1 } })
      peer.receive({ id: peer.sent[0]?.id, result: { a: 1 } })
      assert.deepStrictEqual(yield* Fiber.join(both), [{ a: 1 }, { b: 1 }])
    })
  )

  it.effect("fails a refused command with the code of the browser's error", () =>
    Effect.gen(function* () {
      const peer = new Peer()
      const { send } = yield* connect(peer)
      const fiber = yield* start(Effect.flip(send("No.such")))
      peer.receive({ id: 1, error: { code: -32_601, message: "not found" } })
      const { code, message, reason } = yield* Fiber.join(fiber)
      assert.deepStrictEqual([reason, message, code], ["refused", "not found", -32_601])
    })
  )

  it.effect("fails pending and later commands when the connection is lost", () =>
    Effect.gen(function* () {
      const peer = new Peer()
      const { closed, send } = yield* connect(peer)
      const fiber = yield* start(Effect.flip(send("A.a")))
      peer.close()
      assert.strictEqual((yield* Fiber.join(fiber)).reason, "closed")
      yield* closed
      assert.strictEqual((yield* Effect.flip(send("B.b"))).reason, "closed")
    })
  )

  it.effect("fails a command without a response at its time limit", () =>
    Effect.gen(function* () {
      const { send } = yield* connect(new Peer(), { timeout: "10 seconds" })
      const fiber = yield* start(Effect.flip(send("A.a")))
      yield* TestClock.adjust("10 seconds")
      const { message, reason } = yield* Fiber.join(fiber)
      assert.deepStrictEqual([reason, message], ["timeout", "The browser did not respond to A.a within 10s."])
    })
  )

  it.effect("puts the reason of a refused upgrade in the error's message", () =>
    Effect.gen(function* () {
      const peer = new Peer()
      peer.readyState = 0
      const fiber = yield* start(Effect.flip(Effect.scoped(connect(peer))))
      const refusal: object = Object.assign(new Error("Unexpected server response: 410"), { type: "error" })
      peer.emit("error", refusal)
      assert.strictEqual(
        (yield* Fiber.join(fiber)).message,
        "The CDP connection was refused: Unexpected server response: 410"
      )
    })
  )

  it.effect("fails and closes a connection that doesn't open within its time limit", () =>
    Effect.gen(function* () {
      const peer = new Peer()
      peer.readyState = 0
      const fiber = yield* start(Effect.flip(Effect.scoped(connect(peer, { timeout: "10 seconds" }))))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).reason, "timeout")
      assert.strictEqual(peer.readyState, 3)
    })
  )

  it.effect("closes the connection with its scope", () =>
    Effect.gen(function* () {
      const peer = new Peer()
      yield* Effect.scoped(connect(peer))
      assert.strictEqual(peer.readyState, 3)
    })
  )
})

describe("CdpSession", () => {
  it.effect("handles the events of its own target until it or a surrounding session ends", () =>
    Effect.gen(function* () {
      const peer = new Peer()
      const client = yield* connect(peer)
      const targetInfo = { targetId: "t", type: "page", title: "", url: "" }
      const attached = (sessionId: string, parent?: string) =>
        peer.receive({
          method: "Target.attachedToTarget",
          sessionId: parent,
          params: { sessionId, targetInfo, waitingForDebugger: false }
        })
      attached("tab")
      attached("frame", "tab")
      const opened: Array<string> = []
      for (const id of ["tab", "frame"]) client.session(id).on("Page.windowOpen", ({ url }) => opened.push(id + url))
      peer.receive({ method: "Page.windowOpen", sessionId: "tab", params: { url: "/a" } })
      peer.receive({ method: "Page.windowOpen", sessionId: "frame", params: { url: "/b" } })
      peer.receive({ method: "Page.windowOpen", sessionId: "other", params: { url: "/c" } })
      assert.deepStrictEqual(opened, ["tab/a", "frame/b"])
      assert.strictEqual(client.handling(), 2)
      const fiber = yield* start(Effect.flip(client.session("tab").send("Page.enable")))
      peer.receive({ method: "Target.detachedFromTarget", params: { sessionId: "tab" } })
      assert.strictEqual((yield* Fiber.join(fiber)).reason, "detached")
      assert.strictEqual(client.handling(), 0)
    })
  )

  it.effect("until waits for a condition that an event changes", () =>
    Effect.gen(function* () {
      const peer = new Peer()
      const client = yield* connect(peer)
      let count = 0
      client.on("Target.targetDestroyed", () => void count++)
      const fiber = yield* start(client.until(() => count === 2))
      peer.receive({ method: "Target.targetDestroyed", params: { targetId: "1" } })
      assert.isUndefined(fiber.pollUnsafe())
      peer.receive({ method: "Target.targetDestroyed", params: { targetId: "2" } })
      yield* Fiber.join(fiber)
    })
  )
})

describe("Cdp.overTransport", () => {
  it.effect("accepts a response that arrives while its command is being sent", () =>
    Effect.gen(function* () {
      let onMessage: (message: string) => void = () => undefined
      const { send } = yield* Cdp.overTransport({
        send: (message) => {
          const { id }: { readonly id: number } = JSON.parse(message)
          onMessage(JSON.stringify({ id, error: { message: "refused" } }))
          return true
        },
        receive: (receiver) => void ({ onMessage } = receiver),
        ended: Effect.never
      })
      assert.strictEqual((yield* Effect.flip(send("Page.getFrameTree"))).message, "refused")
    })
  )

  it.effect("sends nothing before the connection drains", () =>
    Effect.gen(function* () {
      const sent: Array<string> = []
      let onDrain: () => void = () => undefined
      const client = yield* Cdp.overTransport({
        send: (message) => sent.push(message) > 2,
        receive: (receiver) => void ({ onDrain } = receiver),
        ended: Effect.never
      })
      for (let count = 0; count < 4; count++) client.post("Page.enable")
      assert.lengthOf(sent, 1)
      onDrain()
      assert.lengthOf(sent, 2)
      onDrain()
      assert.lengthOf(sent, 4)
    })
  )
})
