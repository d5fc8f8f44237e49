import { ApiKeys, MemoryNotes, MemoryStore, Store } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ApiKeyAuth from "../../../src/http/policy/ApiKeyAuth.ts"
import { type Choices, layerOver } from "../served.ts"
import { requestsTo } from "@webagent/test-fixtures/Requests"
import { Server } from "../../../src/Server.ts"
import { layerOfTest } from "./keys.ts"

/** A server with an admin API over a store in memory, with the keys of `layerOfTest`. */
export const layerAdmin = (choices: Omit<Choices, "auth"> = {}) =>
  Layer.unwrap(
    Effect.gen(function* () {
      // one instance of each, for the engine and for the admin API
      const store = Layer.succeed(Store, yield* Store)
      const keys = Layer.succeed(ApiKeys, yield* ApiKeys)
      return Layer.provide(
        layerOver(store, { ...choices, auth: Layer.provide(ApiKeyAuth.layerManaged(), keys) }),
        Layer.merge(store, keys)
      )
    })
  ).pipe(Layer.provide(Layer.mergeAll(MemoryStore.layer, layerOfTest, MemoryNotes.layer)), Layer.fresh)

export const { raw, send } = requestsTo(Server)

/** Sends a request to the admin API with the key of a name. */
export const ask = (key: string, method: string, path: string, body?: unknown) =>
  send(method, `/admin/v1${path}`, { key: `wak_${key}`, ...(body === undefined ? {} : { body }) })
