import { assert, describe, it } from "@effect/vitest"
import { MemoryStore, type StreamingAgent } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { send } from "./send.ts"
import { layerOver } from "./served.ts"

/** Takes two steps, then goes on for ever. */
const stepping: StreamingAgent["perform"] = (_, { step }) =>
  Stream.make({ _tag: "Started" } as const).pipe(
    Stream.concat(
      Stream.fromEffectDrain(
        Effect.gen(function* () {
          yield* step({ summary: 'navigate "https://shop.example"', address: "about:blank", picture: null })
          yield* step({ summary: 'click button "Buy"', address: "https://shop.example/", picture: null })
          yield* Effect.never
        })
      )
    )
  )

const steps = (id: unknown, key?: string) => send("GET", `/api/v4/runs/${id}/steps`, key === undefined ? {} : { key })

describe("the steps of a run", () => {
  it.live("are there as they happen, for a key that reads the run", () =>
    Effect.gen(function* () {
      const { id } = (yield* send("POST", "/api/v4/runs", { body: { task: "Buy a mug" } })).body
      const two = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
        Array.isArray(body["steps"]) && body["steps"].length === 2
      const { body, status } = yield* Effect.repeat(Effect.delay(steps(id), "5 millis"), { until: two })
      assert.strictEqual(status, 200)
      assert.deepInclude(body, { runId: id, liveUrl: null, recordingUrl: null })
      const [first, second] = body["steps"] as ReadonlyArray<Record<string, unknown>>
      assert.deepInclude(first, { number: 1, address: "about:blank", summary: 'navigate "https://shop.example"' })
      assert.deepInclude(second, { number: 2, address: "https://shop.example/", summary: 'click button "Buy"' })
      assert.match(String(second?.["beganAt"]), /^\d{4}-\d\d-\d\dT.*Z$/u)
    }).pipe(Effect.provide(layerOver(MemoryStore.layer, { perform: stepping })))
  )

  it.live("are a 401 without the key, a 404 of a run that is not there, and a 405 for another method", () =>
    Effect.gen(function* () {
      const { id } = (yield* send("POST", "/api/v4/runs", { body: { task: "Buy a mug" } })).body
      assert.deepStrictEqual((yield* steps(id, "wak_other")).body, { detail: "Invalid API key" })
      assert.strictEqual((yield* steps(id, "wak_other")).status, 401)
      const nothing = yield* steps("00000000-0000-4000-8000-999999999999")
      assert.deepStrictEqual([nothing.status, nothing.body], [404, { detail: "Run not found" }])
      const { headers, status } = yield* send("POST", `/api/v4/runs/${id}/steps`)
      assert.deepStrictEqual([status, headers.get("allow")], [405, "GET, HEAD"])
    }).pipe(Effect.provide(layerOver(MemoryStore.layer)))
  )
})
