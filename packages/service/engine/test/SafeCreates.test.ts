import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { BrowserPool } from "../src/ports/BrowserPool.ts"
import { Engine } from "../src/Engine.ts"
import type { SafeCreate } from "../src/SafeCreates.ts"
import * as MemoryStore from "../src/MemoryStore.ts"
import { Store } from "../src/ports/Store.ts"
import * as ports from "./ports.ts"

/** Browsers that take a minute to launch. */
const slowPool = Layer.effect(
  BrowserPool,
  Effect.map(BrowserPool, (pool) => ({
    ...pool,
    launch: (browser) => Effect.andThen(Effect.sleep("1 minute"), pool.launch(browser))
  }))
).pipe(Layer.provide(ports.browsers))

/** A store that takes a second for every commit. */
const slowStore = Layer.effect(
  Store,
  Effect.map(Store, (store) => ({
    ...store,
    commit: (changes) => Effect.andThen(Effect.sleep("1 second"), store.commit(changes))
  }))
).pipe(Layer.provide(MemoryStore.layer))

const engineOver = (store: Layer.Layer<Store>) =>
  Engine.layer.pipe(Layer.provideMerge(store), Layer.provide([ports.agent, slowPool, ports.ids]))

const safe = (key: string, body = "body"): SafeCreate => ({ key, body })

const create = (given?: SafeCreate) =>
  Engine.use((engine) => engine.createSession({ task: "one", modelParams: null, thinkingLevel: null }, given))

const begin = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

const count = Effect.gen(function* () {
  const { idempotencyRecords, sessions } = yield* Store.use((store) => store.records)
  return { sessions: sessions.length, records: idempotencyRecords.length }
})

describe("SafeCreates", () => {
  it.effect("return the original resource for the same key and body, and a new one without a key", () =>
    Effect.gen(function* () {
      const first = yield* create(safe("a"))
      yield* TestClock.adjust("1 hour")
      const again = yield* create(safe("a"))
      assert.deepStrictEqual(again, { ...first, replayed: true })
      assert.isFalse(first.replayed)
      assert.strictEqual(again.turn.status, "queued")
      yield* create()
      yield* create()
      assert.deepStrictEqual(yield* count, { sessions: 3, records: 1 })
    }).pipe(Effect.provide(engineOver(MemoryStore.layer)))
  )

  it.effect("refuse another body with the same key", () =>
    Effect.gen(function* () {
      yield* create(safe("a"))
      assert.strictEqual((yield* Effect.flip(create(safe("a", "other"))))._tag, "IdempotencyKeyReused")
      assert.deepStrictEqual(yield* count, { sessions: 1, records: 1 })
    }).pipe(Effect.provide(engineOver(MemoryStore.layer)))
  )

  it.effect("keep a key for 24 hours", () =>
    Effect.gen(function* () {
      const first = yield* create(safe("a"))
      yield* TestClock.setTime(24 * 3_600_000 - 1)
      assert.strictEqual((yield* create(safe("a"))).session.id, first.session.id)
      yield* TestClock.setTime(24 * 3_600_000)
      const second = yield* create(safe("a", "other"))
      assert.notStrictEqual(second.session.id, first.session.id)
      assert.deepStrictEqual(yield* count, { sessions: 2, records: 1 })
    }).pipe(Effect.provide(engineOver(MemoryStore.layer)))
  )

  it.effect("make duplicates wait while the first create is running, and refuse a changed body meanwhile", () =>
    Effect.gen(function* () {
      const engine = yield* Engine
      const browser = (given: SafeCreate) => engine.createBrowser({ proxyCountryCode: null }, given)
      const first = yield* begin(browser(safe("a")))
      const same = yield* begin(browser(safe("a")))
      const other = yield* begin(Effect.flip(browser(safe("a", "other"))))
      yield* TestClock.adjust("30 seconds")
      const late = yield* begin(browser(safe("a")))
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(late.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const made = yield* Fiber.join(first)
      assert.deepStrictEqual(yield* Fiber.join(same), { ...made, replayed: true })
      assert.deepStrictEqual(yield* Fiber.join(late), { ...made, replayed: true })
      assert.strictEqual((yield* Fiber.join(other))._tag, "IdempotencyKeyReused")
      assert.lengthOf((yield* Store.use((store) => store.records)).browsers, 1)
    }).pipe(Effect.provide(engineOver(MemoryStore.layer)))
  )

  it.effect("leave no record after a failed create, and carry out a duplicate that waited for it", () =>
    Effect.gen(function* () {
      const engine = yield* Engine
      const created = yield* begin(create())
      yield* TestClock.adjust("1 minute")
      const { session } = yield* Fiber.join(created)
      const message = (sessionId: string, given: SafeCreate) =>
        engine.queue({ sessionId, text: "two", interrupt: false }, given)
      assert.strictEqual((yield* Effect.flip(message("unknown", safe("a"))))._tag, "SessionNotFound")
      assert.strictEqual((yield* count).records, 0)
      const stop = yield* begin(engine.stopSession(session.id))
      const refused = yield* begin(Effect.flip(message(session.id, safe("a"))))
      const waited = yield* begin(Effect.flip(message(session.id, safe("a", "other"))))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(stop)
      assert.strictEqual((yield* Fiber.join(refused))._tag, "SessionStopped")
      assert.strictEqual((yield* Fiber.join(waited))._tag, "SessionStopped")
      assert.strictEqual((yield* count).records, 0)
    }).pipe(Effect.provide(engineOver(slowStore)))
  )

  it.effect("continue after the caller disconnects, and let only the waiting duplicate disconnect", () =>
    Effect.gen(function* () {
      const first = yield* begin(create(safe("a")))
      const duplicate = yield* begin(create(safe("a")))
      yield* TestClock.adjust("100 millis")
      duplicate.interruptUnsafe()
      first.interruptUnsafe()
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* count, { sessions: 1, records: 1 })
      assert.isTrue((yield* create(safe("a"))).replayed)
    }).pipe(Effect.provide(engineOver(slowStore)))
  )
})
