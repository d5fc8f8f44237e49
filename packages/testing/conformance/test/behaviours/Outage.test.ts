import { assert, describe, it } from "@effect/vitest"
import { Ledger, LedgerMemory } from "@webagent/core"
import { Control, Server, SimulatedService } from "@webagent/simulation"
import { Browsers, Runs, V4 } from "@webagent/v4"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

/** The client as it comes, with a ledger, at the service in this process: time is virtual. */
const layer = Layer.unwrap(
  Effect.map(Server, ({ address, apiKeys }) =>
    Layer.orDie(V4.layerClient({ baseUrl: address, apiKey: apiKeys[0] ?? "" }))
  )
).pipe(Layer.provideMerge(SimulatedService.layerHttpClient()), Layer.provideMerge(LedgerMemory.layer))

const down = Effect.andThen(
  Effect.sleep("10 seconds"),
  Control.use((control) => control.refuseConnections("1 minute"))
)

describe("an outage of a minute", () => {
  it.effect("ends no wait: each result is returned afterwards, even of a run that finished meanwhile", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const waiting = yield* Effect.forEach([5, 30, 90], (seconds) =>
        Effect.forkChild(runs.createAndWait({ task: `[simulate duration=${seconds}s output=${seconds}]` }))
      )
      yield* Effect.forkChild(down)
      yield* TestClock.adjust("2 minutes")
      const results = yield* Effect.forEach(waiting, (fiber) => Effect.map(Fiber.join(fiber), ({ result }) => result))
      assert.deepStrictEqual(results.map(Number), [5, 30, 90])
    }).pipe(Effect.provide(layer))
  )

  it.effect("leaves no browser running: it is stopped after the outage", () =>
    Effect.gen(function* () {
      const browsers = yield* Browsers
      const using = yield* Effect.forkChild(browsers.use({}, () => Effect.sleep("20 seconds")))
      yield* Effect.forkChild(down)
      yield* TestClock.adjust("90 seconds")
      yield* Fiber.join(using)
      const control = yield* Control
      assert.deepStrictEqual((yield* control.open).browsers, [])
      assert.deepStrictEqual(yield* (yield* Ledger.Current).open, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("fails a create within seconds, certain that nothing was made, and without a ledger entry", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      yield* Effect.forkChild(down)
      yield* TestClock.adjust("11 seconds")
      const creating = yield* Effect.forkChild(Effect.flip(runs.create({ task: "t" })))
      yield* TestClock.adjust("3 seconds")
      const error = yield* Fiber.join(creating)
      assert.match(error.message, /\(5 attempts\): nothing answers at .* \(connection refused\)/u)
      assert.deepStrictEqual(yield* (yield* Ledger.Current).open, [])
      yield* TestClock.adjust("2 minutes")
      const control = yield* Control
      assert.deepStrictEqual((yield* control.open).turns, [])
    }).pipe(Effect.provide(layer))
  )
})
