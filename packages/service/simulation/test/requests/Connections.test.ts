import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { WebSocket } from "ws"
import { Server } from "@webagent/server"
import { Control } from "../../src/control/Control.ts"
import { Journal } from "../../src/journal/Journal.ts"
import { send } from "../send.ts"
import * as SimulatedService from "../../src/SimulatedService.ts"

const create = Effect.map(send("POST", "/api/v4/browsers"), ({ body }) => ({
  id: String(body["id"]),
  cdpUrl: String(body["cdpUrl"])
}))

const stop = (id: string) => send("PATCH", `/api/v4/browsers/${id}`, { body: { action: "stop" } })

/** A connection to which the browser has answered, or the status of the answer that came instead. */
const open = (url: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly socket: WebSocket; readonly status: number }>((resume) => {
      const socket = new WebSocket(url)
      socket.once("open", () => socket.send('{"id":1,"method":"Browser.getVersion"}'))
      socket.once("message", () => resume(Effect.succeed({ socket, status: 101 })))
      socket.once("unexpected-response", (_request, response) => {
        response.resume()
        resume(Effect.succeed({ socket, status: response.statusCode ?? 0 }))
      })
      socket.on("error", () => undefined)
    }),
    ({ socket }) => Effect.sync(() => socket.terminate())
  )

/** The events at this browser's connections so far. */
const eventsOf = (resource: string) =>
  Effect.gen(function* () {
    const { entries } = yield* (yield* Journal).read({ type: "connection", resource })
    return entries.flatMap((entry) => (entry.type === "connection" ? [entry.event] : []))
  })

/** Waits for `count` rows of connections, and gives the events of this browser's. */
const until = (count: number, resource: string) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const enough = yield* Deferred.make<void>()
    const look = () => Effect.map(journal.read({ type: "connection" }), ({ counts }) => counts.connection >= count)
    yield* journal.observe(({ type }) => {
      if (type === "connection" && Effect.runSync(look())) Deferred.doneUnsafe(enough, Effect.void)
    })
    if (!(yield* look())) yield* Deferred.await(enough)
    return yield* eventsOf(resource)
  }).pipe(Effect.scoped)

const simulated = Layer.orDie(SimulatedService.layer({ turnDuration: "5 millis" }))

const once = <A, E>(test: Effect.Effect<A, E, Layer.Success<typeof simulated> | Scope.Scope>) =>
  Effect.provide(Effect.scoped(test), Layer.fresh(simulated))

describe("Connections", () => {
  for (const [how, leave] of [
    ["closes", (socket: WebSocket) => socket.close()],
    ["is disconnected", (socket: WebSocket) => socket.terminate()],
    ["asks for Browser.close", (socket: WebSocket) => socket.send('{"id":2,"method":"Browser.close"}')],
    ["breaks the protocol", (socket: WebSocket) => socket.send(Buffer.from([0xc3]), { binary: false })]
  ] as const) {
    it.live(`record the connect and the disconnect of a client that ${how}`, () =>
      once(
        Effect.gen(function* () {
          const { cdpUrl, id } = yield* create
          const { socket } = yield* open(cdpUrl)
          assert.deepStrictEqual(yield* eventsOf(id), ["connected"])
          leave(socket)
          assert.deepStrictEqual(yield* until(2, id), ["connected", "left"])
        })
      )
    )
  }

  it.live("record two that are dropped while their browser keeps running, and a third that the stop closes", () =>
    once(
      Effect.gen(function* () {
        const control = yield* Control
        const { cdpUrl, id } = yield* create
        yield* open(cdpUrl)
        yield* open(cdpUrl)
        yield* control.dropConnections(id)
        const dropped: ReadonlyArray<string> = ["connected", "connected", "dropped", "dropped"]
        assert.deepStrictEqual<ReadonlyArray<string>>(yield* until(4, id), dropped)
        yield* open(cdpUrl)
        yield* stop(id)
        assert.deepStrictEqual<ReadonlyArray<string>>(yield* until(6, id), [...dropped, "connected", "stopped"])
      })
    )
  )

  it.live("are also dropped by an outage", () =>
    once(
      Effect.gen(function* () {
        const { cdpUrl, id } = yield* create
        yield* open(cdpUrl)
        yield* Control.use((control) => control.refuseConnections(Duration.minutes(1)))
        assert.deepStrictEqual(yield* until(2, id), ["connected", "dropped"])
      })
    )
  )

  it.live("are refused without the token, and for an unknown or stopped browser", () =>
    once(
      Effect.gen(function* () {
        const { cdpUrl, id } = yield* create
        const { baseUrls } = yield* Server
        const { status } = yield* open(cdpUrl.replace(/\?.*/u, ""))
        assert.deepStrictEqual([status, yield* eventsOf(id)], [404, ["refused"]])
        const long = "N".repeat(1000)
        const unknown = yield* open(`${baseUrls.v4.replace("http", "ws")}/browsers/${long}/cdp`)
        assert.deepStrictEqual([unknown.status, yield* eventsOf(`${"n".repeat(256)}…`)], [404, ["refused"]])
        yield* send("GET", new URL(cdpUrl).pathname, { key: null })
        yield* stop(id)
        const late = yield* open(cdpUrl)
        assert.deepStrictEqual([late.status, yield* eventsOf(id)], [410, ["refused", "refused"]])
      })
    )
  )
})
