import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { BrowserPool, LaunchFailed } from "../src/ports/BrowserPool.ts"
import { Store, StoreUnavailable } from "../src/ports/Store.ts"
import * as ports from "./ports.ts"
import { start, test } from "./starts.ts"

describe("BrowserPool", () => {
  test(
    "reports why a browser can't be launched, and frees its key",
    Effect.gen(function* () {
      let full = true
      const sometimes = Layer.effect(
        BrowserPool,
        Effect.map(BrowserPool, ({ launch }) => ({
          launch: (browser) =>
            full
              ? Effect.fail(
                  new LaunchFailed({ reason: "full", message: "All 4 browsers are in use. Try again later." })
                )
              : launch(browser)
        }))
      ).pipe(Layer.provide(ports.browsers))
      const { engine } = yield* start("a", { browsers: sometimes })
      const safe = { key: "k", body: "b" }
      const refused = yield* Effect.flip(engine.createBrowser({ proxyCountryCode: null }, safe))
      assert.strictEqual(refused._tag, "LaunchFailed")
      full = false
      const made = yield* engine.createBrowser({ proxyCountryCode: null }, safe)
      assert.isFalse(made.replayed)
      const { browsers } = yield* Store.use((store) => store.records)
      assert.deepStrictEqual(
        browsers.map(({ status, stopReason }) => [status, stopReason]),
        [["active", null]]
      )
    })
  )

  test(
    "stops a browser whose launch failed while the store was unavailable, and frees its key",
    Effect.gen(function* () {
      const store = yield* Store
      let isAway = false
      const commit: typeof store.commit = (step) =>
        isAway ? Effect.fail(new StoreUnavailable({ applied: "no", cause: "a test" })) : store.commit(step)
      const failing = Layer.effect(
        BrowserPool,
        Effect.map(BrowserPool, ({ launch }) => {
          let launches = 0
          return {
            launch: (browser) => {
              if (launches++ > 0) return launch(browser)
              isAway = true
              return Effect.fail(new LaunchFailed({ reason: "failed", message: "The browser did not start." }))
            }
          }
        })
      ).pipe(Layer.provide(ports.browsers))
      const { engine } = yield* Effect.provideService(start("a", { browsers: failing }), Store, { ...store, commit })
      const standings = Effect.map(store.records, ({ browsers }) =>
        browsers.map(({ status, stopReason }) => [status, stopReason])
      )
      const safe = { key: "k", body: "b" }
      yield* Effect.flip(engine.createBrowser({ proxyCountryCode: null }, safe))
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(yield* standings, [["starting", null]])
      isAway = false
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* standings, [["stopped", "launch_failed"]])
      assert.isFalse((yield* engine.createBrowser({ proxyCountryCode: null }, safe)).replayed)
    })
  )

  test(
    "stops a browser that exits by itself, with its reason",
    Effect.gen(function* () {
      const { engine } = yield* start("a", {
        browsers: Layer.succeed(BrowserPool, {
          launch: () =>
            Effect.succeed({
              connect: Effect.never,
              stop: Effect.void,
              ended: Effect.as(Effect.sleep("1 minute"), "ended" as const)
            })
        })
      })
      const { browser } = yield* engine.createBrowser({ proxyCountryCode: null })
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(Option.getOrThrow(yield* Store.use((store) => store.browser(browser.id))).status, "active")
      yield* TestClock.adjust("1 second")
      const ended = yield* engine.stopBrowser(browser.id)
      assert.deepStrictEqual([ended.status, ended.stopReason, ended.finishedAt_ms], ["stopped", "ended", 60_000])
    })
  )
})
