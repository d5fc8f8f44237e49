import { assert, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { CdpClient, Sandbox } from "../../src/index.ts"
import { attach, runtime, start } from "../support/chromium.ts"
import { sockets } from "../egress/sockets.ts"

it.live("carries out commands, hears events, and says what was refused", () =>
  Effect.gen(function* () {
    const { devTools } = yield* start("one", yield* runtime)
    const client = yield* CdpClient.connect(devTools)
    const session = yield* attach(client)
    const heard: Array<string> = []
    yield* client.listen(({ method, sessionId }) => void (sessionId === session && heard.push(method)))
    yield* client.send("Page.enable", {}, session)
    yield* client.send("Page.navigate", { url: "data:text/html,<title>one</title>" }, session)
    const { result } = yield* client.send("Runtime.evaluate", { expression: "6 * 7" }, session)
    assert.deepInclude(result, { value: 42 })
    yield* Effect.repeat(Effect.sleep("5 millis"), { while: () => !heard.includes("Page.loadEventFired") })
    const { message } = yield* Effect.flip(client.send("Browser.fly"))
    assert.strictEqual(message, "'Browser.fly' wasn't found")
  }).pipe(Effect.scoped, Effect.provide(Sandbox.layerNone))
)

it.live("answers what is waited for when the browser ends", () =>
  Effect.gen(function* () {
    const { devTools, pid } = yield* start("one", yield* runtime)
    const client = yield* CdpClient.connect(devTools)
    const session = yield* attach(client)
    const never = { expression: "new Promise(() => {})", awaitPromise: true }
    const answer = yield* Effect.forkChild(Effect.flip(client.send("Runtime.evaluate", never, session)))
    yield* Effect.sleep("10 millis")
    process.kill(pid, "SIGKILL")
    yield* client.ended
    const { _tag } = yield* Fiber.join(answer)
    assert.strictEqual(_tag, "CdpError")
    assert.include((yield* Effect.flip(client.send("Browser.getVersion"))).message, "ended")
  }).pipe(Effect.scoped, Effect.provide(Sandbox.layerNone))
)

it.live("keeps no socket that is handed over to a client that left", () =>
  Effect.gen(function* () {
    const port = yield* sockets(() => undefined)
    const asked = yield* Deferred.make<(error: null, socket: Socket) => void>()
    const devTools = {
      address: "ws://127.0.0.1:9222/devtools/browser/1",
      connect: (done: (error: null, socket: Socket) => void) => void Deferred.doneUnsafe(asked, Effect.succeed(done))
    }
    const client = yield* Effect.forkChild(CdpClient.opened(devTools))
    const handOver = yield* Deferred.await(asked)
    yield* Fiber.interrupt(client)
    const socket = connect(port, "127.0.0.1")
    yield* Effect.promise(() => once(socket, "connect"))
    const closed = once(socket, "close")
    handOver(null, socket)
    yield* Effect.promise(() => closed)
  }).pipe(Effect.scoped)
)
