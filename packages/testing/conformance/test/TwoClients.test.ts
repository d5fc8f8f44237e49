import { assert, layer } from "@effect/vitest"
import { Server, SimulatedService } from "@webagent/simulation"
import { Sessions as V2Sessions, V2 } from "@webagent/v2"
import { Sessions as V3Sessions, V3 } from "@webagent/v3"
import { Runs, V4 } from "@webagent/v4"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Conforming from "./Conforming.ts"

class WithValidKey extends Context.Service<WithValidKey, ReadonlyArray<string>>()("test/WithValidKey") {}
class WithWrongKey extends Context.Service<WithWrongKey, ReadonlyArray<string>>()("test/WithWrongKey") {}

const id = "0198a1f0-0000-7000-8000-000000000000"

/** What each version's client hears when it asks for something that is not there. */
const answers = Effect.gen(function* () {
  const tag = (error: { readonly _tag: string }) => error._tag
  return [
    tag(yield* Effect.flip(Effect.flatMap(V2Sessions, (sessions) => sessions.get(id)))),
    tag(yield* Effect.flip(Effect.flatMap(V3Sessions, (sessions) => sessions.get(id)))),
    tag(yield* Effect.flip(Effect.flatMap(Runs, (runs) => runs.get(id))))
  ]
})

const clients = (baseUrl: string, apiKey: string) =>
  Layer.mergeAll(
    V2.layerClient({ baseUrl, apiKey }),
    V3.layerClient({ baseUrl, apiKey }),
    V4.layerClient({ baseUrl, apiKey })
  )

layer(SimulatedService.layerTest, { excludeTestServices: true })("two clients of one app", (it) => {
  it.effect("each uses its own key", () =>
    Effect.gen(function* () {
      const { address } = yield* Server
      const app = Layer.mergeAll(
        Layer.effect(WithValidKey, answers).pipe(Layer.provide(clients(address, "wak_test"))),
        Layer.effect(WithWrongKey, answers).pipe(Layer.provide(clients(address, "wak_nope")))
      ).pipe(Layer.provide(Layer.provide(Conforming.layer, FetchHttpClient.layer)))
      const context = yield* Layer.build(app)
      assert.deepStrictEqual(Context.get(context, WithValidKey), [
        "SessionNotFoundError",
        "SessionNotFoundError",
        "RunNotFoundError"
      ])
      assert.deepStrictEqual(Context.get(context, WithWrongKey), [
        "UnauthorizedError",
        "UnauthorizedError",
        "UnauthorizedError"
      ])
    })
  )
})
