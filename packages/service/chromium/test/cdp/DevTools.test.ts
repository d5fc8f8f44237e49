import { assert, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { DevTools, Sandbox } from "../../src/index.ts"
import { attach, runtime, start } from "../support/chromium.ts"
import { sockets } from "../egress/sockets.ts"

it.live("sends commands, handles events, and returns the browser's errors", () =>
  Effect.gen(function* () {
    const { devTools } = yield* start("one", yield* runtime)
    const client = yield* DevTools.connect(devTools)
    const session = yield* attach(client)
    const loaded = yield* Deferred.make<void>()
    session.on("Page.lifecycleEvent", ({ name }) => {
      if (name === "load") Deferred.doneUnsafe(loaded, Effect.void)
    })
    yield* session.send("Page.enable")
    yield* session.send("Page.setLifecycleEventsEnabled", { enabled: true })
    yield* session.send("Page.navigate", { url: "data:text/html,<title>one</title>" })
    const { result } = yield* session.send("Runtime.evaluate", { expression: "6 * 7" })
    assert.deepInclude(result, { value: 42 })
    yield* Deferred.await(loaded)
    const { message, reason } = yield* Effect.flip(client.send("Browser.fly"))
    assert.deepStrictEqual([message, reason], ["'Browser.fly' wasn't found", "refused"])
  }).pipe(Effect.scoped, Effect.provide(Sandbox.layerNone))
)

it.live("fails pending and later commands when the browser exits", () =>
  Effect.gen(function* () {
    const { devTools, pid } = yield* start("one", yield* runtime)
    const client = yield* DevTools.connect(devTools)
    const session = yield* attach(client)
    const never = { expression: "new Promise(() => {})", awaitPromise: true }
    const answer = yield* Effect.forkChild(Effect.flip(session.send("Runtime.evaluate", never)))
    yield* Effect.sleep("10 millis")
    process.kill(pid, "SIGKILL")
    yield* client.closed
    assert.strictEqual((yield* Fiber.join(answer)).reason, "closed")
    assert.strictEqual((yield* Effect.flip(client.send("Browser.getVersion"))).reason, "closed")
  }).pipe(Effect.scoped, Effect.provide(Sandbox.layerNone))
)

it.live("closes a socket that is handed over to a client that has left", () =>
  Effect.gen(function* () {
    const port = yield* sockets(() => undefined)
    const asked = yield* Deferred.make<(error: null, socket: Socket) => void>()
    const devTools = {
      address: "ws://127.0.0.1:9222/devtools/browser/1",
      connect: (done: (error: null, socket: Socket) => void) => void Deferred.doneUnsafe(asked, Effect.succeed(done))
    }
    const client = yield* Effect.forkChild(DevTools.open(devTools))
    const handOver = yield* Deferred.await(asked)
    yield* Fiber.interrupt(client)
    const socket = connect(port, "127.0.0.1")
    yield* Effect.promise(() => once(socket, "connect"))
    const closed = once(socket, "close")
    handOver(null, socket)
    yield* Effect.promise(() => closed)
  }).pipe(Effect.scoped)
)
