import { consoleControlPath } from "@webagent/control"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Server } from "@webagent/server"
import { WebSocket } from "ws"
import { controlKey } from "./asked.ts"
import * as SimulatedService from "../../src/SimulatedService.ts"
import { send } from "../send.ts"

const served = (options: Parameters<typeof SimulatedService.layer>[0]) =>
  Layer.orDie(SimulatedService.layer({ turnDuration: "5 millis", ...options }))

const has = Effect.map(send("GET", "/console/api/server", { key: null }), ({ body }) => body["has"])

const follow = (address: string) =>
  Effect.callback<number>((resume) => {
    const socket = new WebSocket(`${address.replace("http", "ws")}/console/api/socket`)
    socket.on("open", () => socket.send(JSON.stringify({ after: null, run: null, pictures: [] })))
    socket.on("message", (text: Buffer) => {
      const events = JSON.parse(text.toString()) as ReadonlyArray<{ event: string; data: { written: number } }>
      const last = events.findLast(({ data, event }) => event === "journal" && data.written > 0)
      if (last !== undefined) resume(Effect.succeed(last.data.written))
    })
    return Effect.sync(() => socket.terminate())
  })

layer(served({ time: { mode: "manual" } }), { excludeTestServices: true })(
  "the console of a simulated service",
  (it) => {
    it.effect("controls the simulation without a key, at the address of the service", () =>
      Effect.gen(function* () {
        assert.include(yield* has, "simulation")
        const profile = yield* send("PUT", `${consoleControlPath}/profile`, { key: null, body: { preset: "flaky" } })
        assert.deepStrictEqual([profile.status, profile.body["name"]], [200, "flaky"])
        const time = yield* send("POST", `${consoleControlPath}/time/advance`, { key: null, body: { by: "1 hour" } })
        assert.strictEqual(time.status, 200)
        const wrong = yield* send("PUT", `${consoleControlPath}/faults`, {
          key: null,
          body: [{ fault: { kind: "rest" } }]
        })
        assert.deepStrictEqual([wrong.status, String(wrong.body["detail"]).includes("[0].fault.kind")], [422, true])
        const journal = yield* send("GET", `${consoleControlPath}/journal?type=control`, { key: null })
        const rows = journal.body["entries"] as ReadonlyArray<{ action: string }>
        assert.deepStrictEqual(
          rows.map(({ action }) => action),
          ["setProfile", "advanceTime"]
        )
      })
    )

    it.effect("is closed to pages of other origins", () =>
      Effect.gen(function* () {
        const headers = { "sec-fetch-site": "cross-site" }
        const { status } = yield* send("POST", `${consoleControlPath}/reset`, { key: null, body: {}, headers })
        assert.strictEqual(status, 403)
      })
    )
  }
)

layer(served({}), { excludeTestServices: true })("the journal of a simulated service", (it) => {
  it.effect("sends its size to the console's pages as an event", () =>
    Effect.gen(function* () {
      const { address } = yield* Server
      yield* send("GET", "/api/v4/runs/none")
      assert.strictEqual(yield* follow(address), 1)
    })
  )
})

layer(Layer.fresh(served({})), { excludeTestServices: true })("an outage from the console", (it) => {
  it.effect("begins after its response, and ends", () =>
    Effect.gen(function* () {
      const { address } = yield* Server
      const outage = yield* send("POST", `${consoleControlPath}/outage`, { key: null, body: { for: "500ms" } })
      assert.deepStrictEqual([outage.status, outage.body], [200, { done: true }])
      const isOpen = Effect.promise(() =>
        fetch(address).then(
          () => true,
          () => false
        )
      )
      while (yield* isOpen) yield* Effect.sleep("20 millis")
      while (!(yield* isOpen)) yield* Effect.sleep("20 millis")
    })
  )
})

layer(served({ host: "0.0.0.0", control: { key: controlKey } }), { excludeTestServices: true })(
  "the console beyond this machine",
  (it) => {
    it.effect("doesn't control the simulation", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* send("GET", `${consoleControlPath}/profile`)).status, 404)
      })
    )
  }
)
