import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { send } from "../../http/send.ts"
import { layerTest } from "../../http/served.ts"

it.live("POST /browsers returns 422 for a country without a proxy, and leaves its key free", () =>
  Effect.gen(function* () {
    const headers = { "idempotency-key": "a" }
    const create = (proxyCountryCode: string) =>
      send("POST", "/api/v4/browsers", { body: { proxyCountryCode }, headers })
    const refused = yield* create("xx")
    assert.strictEqual(refused.status, 422)
    assert.deepStrictEqual(refused.body["detail"], [
      { loc: ["body", "proxyCountryCode"], msg: `This server has no proxy in country "xx"`, type: "value_error" }
    ])
    const made = yield* create("de")
    assert.strictEqual(made.status, 201)
    assert.isFalse(made.headers.has("idempotency-replayed"))
  }).pipe(Effect.provide(layerTest))
)
