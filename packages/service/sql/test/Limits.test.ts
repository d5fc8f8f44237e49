import { assert, describe, it } from "@effect/vitest"
import { ApiKeys, keyScopes, Store, AdmissionRefused } from "@webagent/engine"
import { creation } from "@webagent/store-contract/Creation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { PostgresDatabase, SqlApiKeys, SqlStore } from "../src/index.ts"
import { startPostgres } from "./postgres.ts"

const { address } = startPostgres()

const limits = { runs: 3, browsers: null, requestsPerMinute: 5, usdPerDay: null }

/** A node of a database: its store and its keys, over connections of its own. */
const node = Effect.fnUntraced(function* (url: Effect.Success<typeof address>) {
  const layer = Layer.merge(SqlStore.layer, SqlApiKeys.layer).pipe(Layer.provide(PostgresDatabase.layer({ url })))
  return yield* Effect.all({ store: Store, keys: ApiKeys }).pipe(
    Effect.provideContext(yield* Layer.build(Layer.fresh(layer)))
  )
})

describe("a key's limits", () => {
  it.live("apply to all nodes together, even for simultaneous creates on all of them", () =>
    Effect.gen(function* () {
      const url = yield* address
      const first = yield* node(url)
      const nodes = [first, yield* node(url), yield* node(url)]
      yield* first.keys.create({ name: "ci", scopes: keyScopes, limits })
      const made = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, index) => index),
        (index) => {
          const { keys, store } = nodes[index % nodes.length] ?? first
          const also = Effect.flatMap(keys.usage("ci", 0), ({ runs }) =>
            runs > 3 ? Effect.fail(new AdmissionRefused({ message: "too many", retryAfter_ms: 1 })) : Effect.void
          )
          return Effect.isSuccess(store.commit({ ...creation(`${index}`, { owner: "ci" }), also }))
        },
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        made.filter((isMade) => isMade),
        3
      )
      assert.strictEqual((yield* first.keys.usage("ci", 0)).runs, 3)
      const waits = yield* Effect.forEach(nodes, ({ keys }) => keys.countRequest("ci", 2), { concurrency: "unbounded" })
      assert.lengthOf(
        waits.filter((wait_ms) => wait_ms === 0),
        2
      )
    }).pipe(Effect.scoped)
  )
})
