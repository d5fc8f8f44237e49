import { describe, it } from "@effect/vitest"
import type { Store } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { commits, keys } from "./commits.ts"
import { lists } from "./lists.ts"
import { events } from "./events.ts"
import { nodes } from "./nodes.ts"
import { retention } from "./retention.ts"
import type { StoreTest } from "./steps.ts"
import { turns } from "./turns.ts"

/**
 * Tests every store. The layer is built for each test and starts empty. Tests run on the live clock, because a store
 * has its own, and none depends on the store's speed.
 */
export const storeContract = <E>(name: string, layer: Layer.Layer<Store, E>): void => {
  const test: StoreTest = (title, body) =>
    it.live(title, () => Effect.asVoid(Effect.gen(body)).pipe(Effect.provide(Layer.fresh(layer), { local: true })))

  describe(`${name} as a store`, () => {
    commits(test)
    keys(test)
    turns(test)
    events(test)
    nodes(test)
    retention(test)
    lists(test)
  })
}
