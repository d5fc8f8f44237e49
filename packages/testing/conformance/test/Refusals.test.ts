import { assert, describe, it } from "@effect/vitest"
import { execute, Transport } from "@webagent/core"
import { Server, SimulatedService } from "@webagent/simulation"
import { Sessions as V2Sessions } from "@webagent/v2"
import { Sessions as V3Sessions } from "@webagent/v3"
import { Browsers, Runs, Sessions as V4Sessions } from "@webagent/v4"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as clients from "./clients.ts"

const id = "00000000-0000-4000-8000-000000000000"

/** Every operation of every version, each as an effect that tells how it failed. */
const operations = Effect.gen(function* () {
  const v2 = yield* V2Sessions
  const v3 = yield* V3Sessions
  const runs = yield* Runs
  const sessions = yield* V4Sessions
  const browsers = yield* Browsers
  return {
    "v2 get session": Effect.flip(v2.get(id)),
    "v3 create session": Effect.flip(v3.create({ task: "t" })),
    "v3 get session": Effect.flip(v3.get(id)),
    "v4 create run": Effect.flip(runs.create({ task: "t" })),
    "v4 get status": Effect.flip(runs.status(id)),
    "v4 get run": Effect.flip(runs.get(id)),
    "v4 queue message": Effect.flip(sessions.queue(id, { text: "t" })),
    "v4 create browser": Effect.flip(browsers.create()),
    "v4 stop browser": Effect.flip(browsers.stop(id))
  }
})

describe("every operation", () => {
  it.live("reports a wrong key", () =>
    Effect.gen(function* () {
      for (const [name, operation] of Object.entries(yield* operations)) {
        assert.strictEqual((yield* operation)._tag, "UnauthorizedError", name)
      }
    }).pipe(Effect.provide(clients.layer("fetch", { apiKey: "wak_wrong" })))
  )

  it.live("reports an address without a server", () =>
    Effect.gen(function* () {
      const { address } = yield* Effect.provide(Effect.service(Server), Layer.fresh(SimulatedService.layerTest))
      const all = yield* Effect.provide(operations, clients.layer("fetch", { baseUrl: address }))
      for (const [name, operation] of Object.entries(all)) {
        const error = yield* operation
        assert.strictEqual(error._tag === "TransportError" && error.reason._tag, "ConnectionFailed", name)
        assert.include(error.message, `nothing answers at ${address} (connection refused)`, name)
      }
    })
  )
})

describe("Transport", () => {
  it.live("reaches unlisted endpoints, with the key", () =>
    Effect.gen(function* () {
      const transport = yield* Transport
      const response = yield* execute(
        transport,
        "v4",
        HttpClientRequest.patch("/browsers/x").pipe(HttpClientRequest.bodyJsonUnsafe({ action: "explode" }))
      )
      assert.strictEqual(response.status, 422)
      const unkeyed = HttpClientRequest.get("/runs/x", { headers: { "x-service-api-key": "" } })
      assert.strictEqual((yield* execute(transport, "v4", unkeyed)).status, 401)
    }).pipe(Effect.provide(clients.layer()))
  )
})
