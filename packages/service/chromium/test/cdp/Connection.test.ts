import { assert, it } from "@effect/vitest"
import { overTransport } from "@webagent/cdp"
import * as Frames from "@webagent/cdp/Frames"
import type { CdpTransport } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { once } from "node:events"
import type { Socket } from "node:net"
import { WebSocketServer } from "ws"
import * as DevTools from "../../src/cdp/DevTools.ts"
import * as Connection from "../../src/cdp/Connection.ts"
import { sockets } from "../egress/sockets.ts"

/** DevTools that answer each command with its method, and what they read and write. */
const devTools = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false })
    await once(server, "listening")
    const read: Array<string> = []
    const clients: Array<Socket> = []
    server.on("connection", (socket, request) => {
      clients.push(request.socket)
      socket.on("message", (data, isBinary) => {
        assert.isFalse(isBinary)
        read.push(String(data))
        socket.send(String(data))
      })
    })
    const { port } = server.address() as { readonly port: number }
    return { server, read, clients, address: `ws://127.0.0.1:${port}/devtools/browser/1` }
  }),
  ({ server }) =>
    Effect.sync(() => {
      for (const socket of server.clients) socket.terminate()
      server.close()
    })
)

/** A frame of a client whose mask is off. */
const frame = (text: string) => Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])

const until = (isSo: () => boolean) => Effect.repeat(Effect.sleep("5 millis"), { while: () => !isSo() })

const opened = (address: string) =>
  Connection.open({
    devTools: { address, connect: null },
    downloads: "/own",
    used: () => undefined,
    cut: "dropped",
    ended: Effect.never
  })

const framesOf = ({ frames }: CdpTransport) => frames ?? assert.fail("It has no frames.")

it.live("passes frames unchanged, including the browser's up to the close frame", () =>
  Effect.gen(function* () {
    const { address, clients, read } = yield* devTools
    const transport = yield* opened(address)
    const { areWhole, pass, passes } = framesOf(transport)
    const told: Array<Buffer> = []
    const answers: Array<string> = []
    transport.receive({
      onMessage: (message) => answers.push(String(message)),
      onDrain: () => undefined,
      onFrames: (bytes) => told.push(Buffer.from(bytes))
    })
    const [one, two] = ['{"id":1}', '{"id":2,"method":"Page.enable"}']
    for (const message of [one, two]) assert.isTrue(passes(Buffer.from(message)))
    assert.isFalse(passes(Buffer.from('{"id":3,"method":"Browser.crash"}')))
    assert.isTrue(pass(Buffer.concat([frame(one), frame(two)])))
    assert.isTrue(transport.send('{"id":3,"method":"Browser.crash"}'))
    assert.isTrue(transport.send('{"id":4,"method":"Browser.getVersion"}'))
    yield* until(() => read.length === 3)
    assert.deepStrictEqual(read, [one, two, '{"id":4,"method":"Browser.getVersion"}'])
    assert.match(answers.join(""), /^\{"id":3,"error":/u)
    const all = () => Buffer.concat(told)
    const whole = Buffer.concat(
      read.map((text) => Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)]))
    )
    yield* until(() => all().length === whole.length)
    assert.isTrue(all().equals(whole))
    assert.isTrue(areWhole())
    clients[0]?.write(Buffer.from([0x81, 5, 0x61]))
    yield* until(() => !areWhole())
    clients[0]?.write(Buffer.from("bcde"))
    clients[0]?.write(Buffer.concat([Buffer.from(Frames.closing(1001, "over")), Buffer.from([0x81, 0])]))
    assert.strictEqual(yield* transport.ended, "dropped")
    assert.strictEqual(all().subarray(whole.length).toString("latin1"), "\u0081\u0005abcde")
    assert.isTrue(pass(frame(one)))
  }).pipe(Effect.scoped)
)

it.live("reports that the browser's buffers are full, even after a message that is answered locally", () =>
  Effect.gen(function* () {
    const { address, clients } = yield* devTools
    const transport = yield* opened(address)
    let isDrained = false
    transport.receive({ onMessage: () => undefined, onDrain: () => (isDrained = true), onFrames: () => undefined })
    yield* until(() => clients.length === 1)
    clients[0]?.pause()
    const command = frame(`{"id":1,"more":"${"x".repeat(100)}"}`)
    while (framesOf(transport).pass(Buffer.concat(Array.from({ length: 500 }, () => command)))) {
      // no system buffers without end
    }
    assert.isFalse(transport.send('{"id":2,"method":"Browser.crash"}'))
    clients[0]?.resume()
    yield* until(() => isDrained)
    assert.isTrue(transport.send('{"id":3,"method":"Browser.crash"}'))
  }).pipe(Effect.scoped)
)

it.live("passes messages to a client without frames", () =>
  Effect.gen(function* () {
    const { address } = yield* devTools
    const client = yield* overTransport(yield* opened(address))
    assert.deepStrictEqual(yield* client.send("Page.enable"), {})
  }).pipe(Effect.scoped)
)

it.effect("waits at most a minute for DevTools that don't respond", () =>
  Effect.gen(function* () {
    const taken: Array<Socket> = []
    const port = yield* sockets((socket) => void taken.push(socket.resume()))
    const hangs = { address: `ws://127.0.0.1:${port}/devtools/browser/1`, connect: null }
    const failed = yield* Effect.forkChild(Effect.flip(DevTools.open(hangs)))
    yield* TestClock.withLive(until(() => taken.length === 1))
    yield* TestClock.adjust("59 seconds")
    assert.isUndefined(failed.pollUnsafe())
    yield* TestClock.adjust("1 second")
    const { message } = yield* Fiber.join(failed)
    assert.strictEqual(message, "The CDP connection was refused: no response within 1m")
    yield* TestClock.withLive(until(() => taken[0]?.readableEnded === true))
  }).pipe(Effect.scoped)
)
