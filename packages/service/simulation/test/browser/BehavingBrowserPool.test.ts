import { browser } from "@webagent/test-fixtures/Records"
import type { Profile } from "@webagent/control"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as BehavingBrowserPool from "../../src/browser/BehavingBrowserPool.ts"
import { Browser, BrowserPool } from "@webagent/engine"
import { Behavior } from "../../src/behavior/Behavior.ts"
import { send } from "../send.ts"
import * as SimulatedService from "../../src/SimulatedService.ts"

const behaving = (profile: Profile) => BehavingBrowserPool.layer.pipe(Layer.provideMerge(Behavior.layer({ profile })))

const launch = (id = browser.id) => BrowserPool.use((pool) => pool.launch(Browser.make({ ...browser, id })))

const { seconds } = Duration

describe("BehavingBrowserPool", () => {
  it.effect("starts each browser after its own time from the profile", () =>
    Effect.gen(function* () {
      const starting = yield* Effect.forEach(["a", "b", "c", "d"], (id) =>
        Effect.forkChild(
          Effect.andThen(
            launch(id),
            Effect.clockWith((clock) => clock.currentTimeMillis)
          ),
          {
            startImmediately: true
          }
        )
      )
      yield* TestClock.adjust("10 seconds")
      const times = yield* Fiber.joinAll(starting)
      assert.isTrue(times.every((ms) => ms >= 1000 && ms <= 5000))
      assert.strictEqual(new Set(times).size, 4)
    }).pipe(Effect.provide(behaving({ browser: { start: { uniform: { min: seconds(1), max: seconds(5) } } } })))
  )

  it.effect("drops connections after a while, and the browser keeps running and accepts new ones", () =>
    Effect.gen(function* () {
      const { connect } = yield* launch()
      const first = yield* connect
      const ended = yield* Effect.forkChild(first.ended, { startImmediately: true })
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(ended.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(ended), "dropped")
      const second = yield* Effect.forkChild(
        Effect.flatMap(connect, ({ ended }) => ended),
        { startImmediately: true }
      )
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(second.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(second), "dropped")
    }).pipe(Effect.scoped, Effect.provide(behaving({ browser: { dropAfter: seconds(30) } })))
  )

  it.effect("doesn't interrupt a connection when another one leaves", () =>
    Effect.gen(function* () {
      const behavior = yield* Behavior
      const { connect } = yield* launch()
      yield* Effect.scoped(connect)
      yield* behavior.set({})
      const stays = yield* connect
      const ended = yield* Effect.forkChild(stays.ended, { startImmediately: true })
      yield* TestClock.adjust("1 hour")
      assert.isUndefined(ended.pollUnsafe())
    }).pipe(Effect.scoped, Effect.provide(behaving({ browser: { dropAfter: seconds(30) } })))
  )

  it.effect("closes without waiting for a browser to start", () =>
    Effect.gen(function* () {
      const behavior = yield* Behavior
      const starting = yield* Effect.forkChild(launch(), { startImmediately: true })
      assert.isUndefined(starting.pollUnsafe())
      yield* behavior.wake
      yield* Fiber.join(starting)
    }).pipe(Effect.provide(behaving({ browser: { start: Duration.hours(1) } })))
  )

  // service time stands still here
  it.effect("lets a server close while a browser is starting", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const profile = { browser: { start: Duration.hours(1) } }
      const context = yield* Layer.buildWithScope(SimulatedService.layer({ profile }), scope)
      const asking = yield* Effect.forkDetach(Effect.exit(Effect.provide(send("POST", "/api/v4/browsers"), context)), {
        startImmediately: true
      })
      yield* Effect.repeat(Effect.provide(send("GET", "/health"), context), { times: 20 })
      assert.isUndefined(asking.pollUnsafe())
      yield* Scope.close(scope, Exit.void)
      yield* Fiber.join(asking)
    })
  )
})
