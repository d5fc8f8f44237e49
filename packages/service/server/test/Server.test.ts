import { assert, describe, it } from "@effect/vitest"
import { BrowserPool, Engine, MemoryStore, TimeOrderedIds, layerStreamingAgent } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as RequestValidation from "../src/http/policy/RequestValidation.ts"
import { Server } from "../src/Server.ts"
import { send } from "./http/send.ts"

const engine = Layer.provide(Engine.layer, [
  layerStreamingAgent({ model: "test", version: "test-1", perform: () => Stream.never }),
  Layer.succeed(BrowserPool, { launch: () => Effect.die("not used") }),
  MemoryStore.layer,
  TimeOrderedIds.layer
])

describe("Server.layer", () => {
  for (const apiKeys of [["wak_mine"], []]) {
    it.live(`accepts the keys ${JSON.stringify(apiKeys)} and refuses a test key`, () =>
      Effect.gen(function* () {
        const create = (key: string) =>
          Effect.map(send("POST", "/api/v4/runs", { key, body: { task: "x" } }), ({ status }) => status)
        assert.deepStrictEqual((yield* Server).apiKeys, apiKeys)
        for (const key of apiKeys) assert.strictEqual(yield* create(key), 201)
        assert.strictEqual(yield* create("wak_test"), 401)
      }).pipe(Effect.provide(Layer.fresh(Layer.provide(Server.layer({ apiKeys }), [engine, RequestValidation.layer]))))
    )
  }
})
