import type { Store } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { file } from "./files.ts"

/**
 * What `vitest.config.ts` puts in the place of the engine's `MemoryStore` under WEBAGENT_STORE=sqlite, so that the tests
 * of every package run as they are over a database file. Each store has a file of its own, gone with it.
 */
export const layer: Layer.Layer<Store> = Layer.unwrap(
  Effect.gen(function* () {
    const path = yield* file
    // loaded late, because the engine exports this module and the database imports the engine
    const { Database, SqlStore } = yield* Effect.promise(() => import("../src/index.ts"))
    return Layer.orDie(Layer.provide(SqlStore.layer, Database.layer({ file: path })))
  })
)
