import { assert, describe, it } from "@effect/vitest"
import { V4Operations } from "@webagent/contract/v4"
import { ScriptedServer } from "@webagent/scripted-server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import { Breaker, ContractClient, RetryPolicy } from "../src/index.ts"
import { layer } from "./client.ts"

const breaker = Layer.effect(
  Breaker.Current,
  CircuitBreaker.make({ tripPolicy: CircuitBreaker.consecutive(3), openDuration: "1 hour" })
).pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))

const client = layer().pipe(Layer.provideMerge(breaker))

describe("an open circuit breaker", () => {
  it.live("sends nothing and reports for how long; a create counts as refused", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ status: 503 })
      const api = yield* ContractClient.make("v4", V4Operations)
      const read = yield* Effect.flip(api.runs.get({ params: { run_id: "r" } }))
      assert.strictEqual(server.requests.length, 3)
      assert.match(read.message, /: not sent, the circuit breaker is open after too many failures\. Try again in /u)
      assert.isDefined(RetryPolicy.transient(read))
      const create = yield* Effect.flip(api.runs.create({ payload: { task: "t" } }).pipe(RetryPolicy.within(0)))
      assert.strictEqual(create._tag === "TransportError" && create.reason._tag, "CircuitOpen")
      assert.strictEqual(server.requests.length, 3)
    }).pipe(RetryPolicy.within("10 minutes"), Effect.provide(client))
  )

  it.live("isn't opened by refusals", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = () => ({ status: 404 })
      const api = yield* ContractClient.make("v4", V4Operations)
      for (let call = 0; call < 5; call++) yield* Effect.flip(api.runs.get({ params: { run_id: "r" } }))
      assert.strictEqual(server.requests.length, 5)
    }).pipe(Effect.provide(client))
  )
})
