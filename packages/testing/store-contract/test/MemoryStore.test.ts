import { assert, it } from "@effect/vitest"
import { Browser, idempotencyLifetime_ms, MemoryStore, Store } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { storeContract } from "../src/StoreContract.ts"

storeContract("MemoryStore", MemoryStore.layer)

it.effect("MemoryStore deletes every expired key with the next one, because no server prunes it", () =>
  Effect.gen(function* () {
    const store = yield* Store
    const write = (key: string, createdAt_ms: number) => {
      const browser = Browser.make({ id: key, proxyCountryCode: null, startedAt_ms: createdAt_ms })
      return store.commit({ key: { key, body: "body", createdAt_ms, made: { _tag: "Browser", browser } }, events: [] })
    }
    yield* write("a", 0)
    yield* write("b", 1)
    yield* write("c", idempotencyLifetime_ms)
    assert.deepStrictEqual(
      (yield* store.records).idempotencyRecords.map(({ key }) => key),
      ["b", "c"]
    )
  }).pipe(Effect.provide(MemoryStore.layer))
)
