import { assert, describe, it } from "@effect/vitest"
import { Breaker, ClientConfig, layerFetch, Ledger, LedgerMemory, RetryPolicy, Transport } from "@webagent/core"
import { layerUndici } from "@webagent/core/node"
import { ScriptedServer } from "@webagent/scripted-server"
import { Runs, V4 } from "@webagent/v4"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"

const https = { undici: layerUndici, fetch: layerFetch }

for (const [name, http] of Object.entries(https)) {
  const layer = Layer.unwrap(
    Effect.map(ScriptedServer, ({ address }) =>
      V4.layerServices.pipe(
        Layer.provide(Transport.layer),
        Layer.provide(http),
        Layer.provide(ClientConfig.layer({ baseUrl: address, apiKey: "k" }))
      )
    )
  ).pipe(Layer.provideMerge(ScriptedServer.layer))

  describe(`settings of a single call over ${name}`, () => {
    it.live("turn retries off for one call only", () =>
      Effect.gen(function* () {
        const server = yield* ScriptedServer
        server.script = () => ({ status: 503 })
        const runs = yield* Runs
        yield* Effect.flip(Effect.provideService(runs.get("r-1"), RetryPolicy.Current, RetryPolicy.none))
        assert.lengthOf(server.requests, 1)
        yield* Effect.flip(runs.get("r-1"))
        assert.lengthOf(server.requests, 6)
      }).pipe(Effect.provide(layer))
    )

    it.live("send the creates of one call to a ledger, and no others", () =>
      Effect.gen(function* () {
        const server = yield* ScriptedServer
        server.script = () => ({ status: 201, json: { id: "r-1", status: "completed" } })
        const runs = yield* Runs
        const ledger: Ledger.Ledger = yield* LedgerMemory.make
        yield* Effect.provideService(runs.create({ task: "t" }), Ledger.Current, ledger)
        yield* runs.create({ task: "t" })
        assert.deepStrictEqual(
          (yield* ledger.open).map(({ id }) => id),
          ["r-1"]
        )
        yield* Effect.provideService(runs.get("r-1"), Ledger.Current, ledger)
        assert.deepStrictEqual(yield* ledger.open, [])
      }).pipe(Effect.provide(layer))
    )

    it.live("write 200 reads of a finished run to a ledger once", () =>
      Effect.gen(function* () {
        const server = yield* ScriptedServer
        server.script = () => ({ json: { id: "r-1", status: "completed" } })
        const runs = yield* Runs
        const memory = yield* LedgerMemory.make
        const written: Array<string> = []
        const write: Ledger.Ledger["write"] = (entry) =>
          Effect.andThen(
            Effect.sync(() => written.push(entry._tag)),
            memory.write(entry)
          )
        const reads = Effect.forEach(Array.from({ length: 200 }), () => runs.get("r-1"), { discard: true })
        yield* Effect.provideService(reads, Ledger.Current, { write, open: memory.open })
        assert.deepStrictEqual(written, ["closed"])
        // another ledger has not heard of it
        yield* Effect.provideService(reads, Ledger.Current, { write, open: memory.open })
        assert.deepStrictEqual(written, ["closed", "closed"])
      }).pipe(Effect.provide(layer))
    )

    it.live("pass fetch options for one call, only over fetch, and never follow a redirect", () =>
      Effect.gen(function* () {
        const server = yield* ScriptedServer
        server.script = ({ url }) =>
          url.includes("elsewhere") ? { json: {} } : { status: 302, headers: { location: "/elsewhere" } }
        const runs = yield* Runs
        const init = { headers: { "x-team": "travel" }, redirect: "follow" } as const
        yield* Effect.flip(Effect.provideService(runs.get("r-1"), FetchHttpClient.RequestInit, init))
        yield* Effect.flip(runs.get("r-1"))
        const teams = server.requests.map(({ headers }) => headers["x-team"])
        assert.deepStrictEqual(teams, name === "fetch" ? ["travel", undefined] : [undefined, undefined])
      }).pipe(Effect.provide(layer))
    )

    it.live("count the attempts of one call in a circuit breaker", () =>
      Effect.gen(function* () {
        const server = yield* ScriptedServer
        server.script = () => ({ status: 503 })
        const runs = yield* Runs
        const breaker = yield* CircuitBreaker.make({
          tripPolicy: CircuitBreaker.consecutive(2),
          openDuration: "10 minutes"
        }).pipe(Effect.provide(CircuitBreaker.layerStoreMemory()))
        const error = yield* Effect.flip(Effect.provideService(runs.get("r-1"), Breaker.Current, breaker))
        assert.strictEqual(error._tag === "TransportError" && error.reason._tag, "CircuitOpen")
        // without it there would be five
        assert.isBelow(server.requests.length, 5)
      }).pipe(Effect.provide(layer))
    )
  })
}
