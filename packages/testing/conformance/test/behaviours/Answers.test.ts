import { assert, describe, it } from "@effect/vitest"
import { Server } from "@webagent/simulation"
import { Runs } from "@webagent/v4"
import { WebAgent } from "@webagent/v4/promise"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { Socket } from "node:net"
import { apiKey, layer, on, requests } from "./stage.ts"

describe("a response", () => {
  it.live("W8: with a stalled body times out, and the error names the body", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      // nothing is created: the body of that answer would have as little time
      const error = yield* Effect.flip(runs.get("00000000-0000-4000-8000-00000000000f"))
      if (error._tag !== "TransportError" || error.reason._tag !== "Timeout") return assert.fail(error.message)
      assert.deepStrictEqual([error.reason.phase, error.reason.limit, error.attempts], ["body", "body", 5])
    }).pipe(
      Effect.provide(
        layer({
          faults: [on("v4.getRun", { kind: "slow-body", for: Duration.hours(1) }, [1, 2, 3, 4, 5])],
          client: { timeouts: { body: "100 millis" } }
        })
      )
    )
  )

  it.live("W16: that doesn't match the description is an error with status, address and the mismatch", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const { id } = yield* runs.create({ task: "[simulate output=found]" })
      const error = yield* Effect.flip(runs.get(id))
      assert.match(
        error.message,
        /^GET http.*\/api\/v4\/runs\/.* \(5 attempts\): status 200, .*the body is not JSON\. Request id \S+\.$/u
      )
    }).pipe(Effect.provide(layer({ faults: [on("v4.getRun", { kind: "malformed-json" }, [1, 2, 3, 4, 5])] })))
  )

  it.live("W17: with an error keeps its status and its message, and adds advice", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const gateway = yield* Effect.flip(runs.create({ task: "t" }))
      assert.match(gateway.message, /status 502, <html> <head><title>502 Bad Gateway<\/title>/u)
      const refused = yield* Effect.flip(runs.create({ task: "t" }))
      if (refused._tag !== "TransportError") return assert.fail(refused.message)
      assert.match(refused.message, /^POST http.*\/api\/v4\/runs: status 402, \{"detail":"Top up your account"\}/u)
    }).pipe(
      Effect.provide(
        layer({
          faults: [
            { fault: { kind: "html-error", status: 502 }, when: { operations: ["v4.createRun"], nth: [1] } },
            {
              fault: { kind: "status", status: 402, detail: "Top up your account" },
              when: { operations: ["v4.createRun"], nth: [2] }
            }
          ]
        })
      )
    )
  )

  it.live("W20: that rejects a create before the program awaits it doesn't end the process", () =>
    Effect.gen(function* () {
      const { address } = yield* Server
      const unhandled: Array<unknown> = []
      const listen = (reason: unknown) => void unhandled.push(reason)
      process.on("unhandledRejection", listen)
      yield* Effect.promise(async () => {
        await using agent = new WebAgent({ baseUrl: address, apiKey: "wak_wrong" })
        const run = agent.runs.createAndWait({ task: "t" })
        await new Promise((resolve) => setTimeout(resolve, 200))
        const error: unknown = await run.catch((error: unknown) => error)
        assert.include(String(error), "UnauthorizedError")
      })
      process.off("unhandledRejection", listen)
      assert.deepStrictEqual(unhandled, [])
    }).pipe(Effect.provide(layer({})))
  )

  it.live("W21: that is awaited twice is requested once", () =>
    Effect.gen(function* () {
      const { address } = yield* Server
      yield* Effect.promise(async () => {
        await using agent = new WebAgent({ baseUrl: address, apiKey })
        const run = agent.runs.createAndWait({ task: "[simulate output=found]" }, { first: 0, every: "20 millis" })
        assert.deepStrictEqual(await run, await run)
      })
      assert.lengthOf(yield* requests("v4.createRun"), 1)
      assert.lengthOf(yield* requests("v4.getRun"), 1)
    }).pipe(Effect.provide(layer({})))
  )

  it.live("W22: with a result of the wrong type is an error that keeps the run, its result and its cost", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const result = Schema.Struct({ total: Schema.Number })
      const error = yield* Effect.flip(
        runs.createAndWait({ task: '[simulate output={"total":"much"} cost=0.05]' }, { result })
      )
      if (error._tag !== "ResultMismatchError") return assert.fail(error.message)
      assert.deepStrictEqual([error.run.result, error.run.cost], [{ total: "much" }, "0.05"])
      const failed = yield* Effect.flip(
        runs.createAndWait({ task: '[simulate outcome=failed error="sold out" cost=0.05]' }, { result })
      )
      assert.strictEqual(failed._tag, "RunFailedError")
      assert.match(failed.message, /sold out.*0\.05 USD/u)
    }).pipe(Effect.provide(layer({})))
  )

  for (const http of ["fetch", "undici"] as const) {
    it.live(`W23: with an error is read to its end, so that the connection is reused, over ${http}`, () =>
      Effect.gen(function* () {
        const { address } = yield* Server
        const port = Number(new URL(address).port)
        let connections = 0
        const accepted = (message: unknown) => {
          const { socket } = message as { readonly socket: Socket }
          if (socket.localPort === port) connections++
        }
        subscribe("net.server.socket", accepted)
        yield* Effect.addFinalizer(() => Effect.sync(() => unsubscribe("net.server.socket", accepted)))
        const runs = yield* Runs
        const calls = Array.from({ length: 50 }, (_, index) => runs.create({ task: `${index} [simulate duration=1h]` }))
        const created = yield* Effect.all(calls, { concurrency: 10 })
        // the first answer of each is a 429, and is tried again
        yield* Effect.forEach(created, ({ id }) => runs.status(id), { concurrency: 10 })
        assert.lengthOf(yield* requests("v4.getRunStatus"), 100)
        assert.isAtMost(connections, 20)
      }).pipe(
        Effect.scoped,
        Effect.provide(
          layer({
            http,
            faults: [on("v4.getRunStatus", { kind: "status", status: 429 })]
          })
        )
      )
    )
  }
})
