import { assert, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { Engine } from "../src/Engine.ts"
import * as LocalWork from "../src/LocalWork.ts"
import * as MemoryStore from "../src/MemoryStore.ts"
import { Hints, makeEventHints } from "../src/ports/Hints.ts"
import { Operator } from "../src/Operator.ts"
import { BrowserPool } from "../src/ports/BrowserPool.ts"
import { Store, StoreUnavailable } from "../src/ports/Store.ts"
import { type Hands, Work } from "../src/ports/Work.ts"
import { agent, browser, browsers, ids } from "./ports.ts"

/** The names of the store's effects and methods that were used. */
const used: Array<string> = []

/** The names of methods whose next use fails. */
const broken = new Set<string>()

const down = new StoreUnavailable({ applied: "no", cause: "down" })

/** A store that notes what is read from it. */
const noting = <A extends object>(of: A): A =>
  new Proxy(of, {
    get: (target, name, receiver) => {
      const value: unknown = Reflect.get(target, name, receiver)
      const note = Effect.suspend(() => {
        used.push(String(name))
        return broken.delete(String(name)) ? Effect.fail(down) : Effect.void
      })
      if (Effect.isEffect(value)) return Effect.andThen(note, value)
      if (typeof value === "function") {
        return (...args: ReadonlyArray<unknown>) => {
          const result: unknown = Reflect.apply(value, target, args)
          return Effect.isEffect(result) ? Effect.andThen(note, result) : result
        }
      }
      return typeof value === "object" && value !== null ? noting(value) : value
    }
  })

const store = Layer.effect(
  Store,
  Effect.map(Store, (memory) => noting(memory))
).pipe(Layer.provide(MemoryStore.layer))

const engine = Engine.layerOf.pipe(Layer.provide(LocalWork.layerLooking), Layer.provide([agent, browsers, store, ids]))

const hands = (lookNow: Hands["lookNow"]): Hands => ({
  take: () => Effect.succeed(Effect.void),
  resume: () => Effect.succeed(Effect.void),
  resumeBrowser: () => Effect.void,
  look: Effect.void,
  lookNow,
  drain: Effect.void,
  undrain: Effect.void,
  reap: () => Effect.void,
  abandon: Effect.void,
  idleBrowsers: () => 0
})

it.effect("reads the store at each hint of another process's commit, and without hints every 8 seconds", () =>
  Effect.gen(function* () {
    const own = makeEventHints()
    const hinting = Layer.succeed(Hints, { tell: () => Effect.void, heard: () => own.heardEvents, ...own })
    const { serve } = yield* Effect.provide(Work, Layer.provide(LocalWork.layerLooking, [store, hinting]))
    let looks = 0
    yield* serve(hands(Effect.sync(() => void looks++)))
    yield* TestClock.adjust("79 seconds")
    assert.strictEqual(looks, 10)
    yield* own.tellEvents
    yield* TestClock.adjust(0)
    assert.strictEqual(looks, 11)
  }).pipe(Effect.scoped)
)

it.effect("retries a read that failed after a hint, with pauses that grow to 2 seconds", () =>
  Effect.gen(function* () {
    const own = makeEventHints()
    const hinting = Layer.succeed(Hints, { tell: () => Effect.void, heard: () => own.heardEvents, ...own })
    const { serve } = yield* Effect.provide(Work, Layer.provide(LocalWork.layerLooking, [store, hinting]))
    let looks: Array<number> = []
    let failing = false
    const look = Effect.flatMap(Clock.currentTimeMillis, (now_ms) => {
      looks.push(now_ms)
      return failing ? Effect.fail(down) : Effect.void
    })
    yield* serve(hands(look))
    yield* TestClock.adjust("1 second")
    looks = []
    failing = true
    yield* own.tellEvents
    yield* TestClock.adjust("6 seconds")
    assert.deepStrictEqual(looks, [1000, 1050, 1150, 1350, 1750, 2550, 4150, 6150])
    failing = false
    yield* TestClock.adjust("990 millis")
    assert.lengthOf(looks, 8)
    // the look without a hint at 8 seconds, and the last repeat
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(looks.slice(8), [8000, 8150, 16_000, 24_000, 32_000, 40_000, 48_000, 56_000, 64_000])
  }).pipe(Effect.scoped)
)

it.effect("stops a browser that another process stopped, 50 ms after the read for a hint failed", () =>
  Effect.gen(function* () {
    const other = makeEventHints()
    const hinting = Layer.succeed(Hints, {
      tell: () => Effect.void,
      heard: () => other.heardEvents,
      ...makeEventHints()
    })
    let isStopped = false
    const pool = Layer.succeed(BrowserPool, {
      launch: () => Effect.succeed({ ...browser, stop: Effect.sync(() => void (isStopped = true)) })
    })
    const work = Layer.provide(LocalWork.layerLooking, hinting)
    yield* Effect.gen(function* () {
      const { createBrowser } = yield* Engine
      const { browser: created } = yield* createBrowser({ proxyCountryCode: null })
      yield* TestClock.adjust("1 second")
      yield* Operator.use(({ stopBrowser }) => stopBrowser(created.id))
      broken.add("browser")
      yield* other.tellEvents
      yield* TestClock.adjust("49 millis")
      assert.isFalse(isStopped)
      yield* TestClock.adjust("1 millis")
      assert.isTrue(isStopped)
    }).pipe(
      Effect.provide(
        Layer.merge(Engine.layerOf, Operator.layer).pipe(Layer.provide(work), Layer.provide([agent, pool, store, ids]))
      )
    )
  })
)

/** Waits for ten minutes in which the server reads only whether a slow database has stored something late. */
const idles = Effect.gen(function* () {
  used.length = 0
  yield* TestClock.adjust("10 minutes")
  assert.deepStrictEqual([...new Set(used)], ["leasedTo", "startingAt"])
  assert.isAtMost(used.length, 2 * 76)
})

it.effect(
  "an idle server with its own store only reads late commits, every 8 seconds; a busy one checks for cancellations",
  () =>
    Effect.gen(function* () {
      const { createSession } = yield* Engine
      yield* idles
      yield* createSession({ task: "t", modelParams: null, thinkingLevel: null })
      yield* TestClock.adjust("8 seconds")
      assert.include(used, "cancelledAt")
      yield* TestClock.adjust("1 minute")
      yield* idles
    }).pipe(Effect.provide(engine))
)
