import { assert, describe, it } from "@effect/vitest"
import { MemoryStore } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as ApiKeyHeader from "../../../src/http/listener/ApiKeyHeader.ts"
import { send } from "../send.ts"
import { layerOver } from "../served.ts"

describe("apiKeyHeader", () => {
  it.live("accepts a key in that header and in the usual one", () =>
    Effect.gen(function* () {
      const statusWith = (headers: Record<string, string>) =>
        Effect.map(send("GET", "/api/v4/runs", { key: null, headers }), ({ status }) => status)
      assert.strictEqual(yield* statusWith({ "x-other-api-key": "wak_test" }), 200)
      assert.strictEqual(yield* statusWith({ "X-Service-API-Key": "wak_test" }), 200)
      for (const headers of [{}, { "x-other-api-key": "wak_tes" }, { "x-another-key": "wak_test" }]) {
        assert.strictEqual(yield* statusWith(headers), 401, JSON.stringify(headers))
      }
      // the usual header counts if both are sent
      assert.strictEqual(yield* statusWith({ "x-other-api-key": "wak_test", "x-service-api-key": "wak_tes" }), 401)
    }).pipe(Effect.provide(layerOver(MemoryStore.layer, { listen: { apiKeyHeader: "X-Other-API-Key" } })))
  )

  it.live("carries out a create once under its Idempotency-Key, whichever header has the key", () =>
    Effect.gen(function* () {
      const create = (name: string) =>
        send("POST", "/api/v4/runs", {
          key: null,
          body: { task: "t" },
          headers: { [name]: "wak_test", "idempotency-key": "k" }
        })
      const first = yield* create("x-other-api-key")
      const again = yield* create("x-service-api-key")
      assert.deepStrictEqual([again.body["id"], again.headers.get("idempotency-replayed")], [first.body["id"], "true"])
    }).pipe(Effect.provide(layerOver(MemoryStore.layer, { listen: { apiKeyHeader: "X-Other-API-Key" } })))
  )

  it("refuses an invalid header name", () => {
    for (const name of ["X-API-Key", "authorization", "x!"]) assert.isTrue(ApiKeyHeader.isHeaderName(name), name)
    for (const name of ["", "my key", "key:", "schlüssel"]) assert.isFalse(ApiKeyHeader.isHeaderName(name), name)
    assert.throws(() => ApiKeyHeader.accept("my key"), /"my key" is not the name of a header/u)
  })
})
