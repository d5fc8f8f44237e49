import { assert, describe, it } from "@effect/vitest"
import { Control, Server, SimulatedService } from "@webagent/simulation"
import { Browsers, Runs, V4 } from "@webagent/v4"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

/** The client over the service in this process, each as it comes: nothing of the client is made impatient. */
const layer = (options?: SimulatedService.InProcessOptions) =>
  Layer.unwrap(
    Effect.map(Server, ({ address, apiKeys }) =>
      Layer.orDie(V4.layerClient({ baseUrl: address, apiKey: apiKeys[0] ?? "" }))
    )
  ).pipe(Layer.provideMerge(SimulatedService.layerHttpClient(options)))

const verdicts = Control.use((control) => control.verdicts)

describe("in virtual time", () => {
  it.effect("waits half an hour for a run on the standard schedule without real delay, and finds no problem", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      // with the default of half an hour the last poll, at the deadline, may come just after another
      const waiting = yield* Effect.forkChild(
        runs.createAndWait({ task: "[simulate duration=30m output=found]" }, { timeout: "1 hour" })
      )
      yield* TestClock.adjust("31 minutes")
      const run = yield* Fiber.join(waiting)
      assert.deepStrictEqual([run.status, run.result], ["completed", "found"])
      assert.isAbove(Number(yield* Clock.currentTimeMillis), 1_800_000)
      const { holds, verdicts: said } = yield* verdicts
      assert.isTrue(holds, JSON.stringify(said.filter((verdict) => !verdict.holds)))
    }).pipe(Effect.provide(layer({ profile: { name: "asks", pollInterval: Duration.millis(900) } })))
  )

  it.effect("receives each of forty runs once although two polls of each are lost", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const waiting = yield* Effect.forEach(Array.from({ length: 40 }), (_, index) =>
        Effect.forkChild(
          runs.createAndWait({ task: `${index} [simulate duration=${1 + (index % 10)}m output=${index}]` })
        )
      )
      yield* TestClock.adjust("15 minutes")
      const results = yield* Effect.forEach(waiting, (fiber) => Effect.map(Fiber.join(fiber), ({ result }) => result))
      assert.deepStrictEqual(results.map(Number), [...results.keys()])
      const said = (yield* verdicts).verdicts.filter(({ holds }) => !holds)
      assert.deepStrictEqual(said, [])
    }).pipe(
      Effect.provide(
        layer({
          faults: [
            { fault: { kind: "reset" }, when: { operations: ["v4.getRunStatus"], attempts: [1] } },
            { fault: { kind: "status", status: 503 }, when: { operations: ["v4.getRunStatus"], attempts: [2] } }
          ]
        })
      )
    )
  )

  it.effect("stops a scoped browser, and reports an unscoped one as left open", () =>
    Effect.gen(function* () {
      const browsers = yield* Browsers
      yield* Effect.scoped(browsers.acquire())
      assert.isTrue((yield* verdicts).holds)
      const { id } = yield* browsers.create()
      yield* TestClock.adjust("5 minutes")
      const said = (yield* verdicts).verdicts.find(({ oracle }) => oracle === "browsers-left-open")
      assert.strictEqual(said?.findings[0]?.sentence, `Browser ${id} has been open for 5 min.`)
    }).pipe(Effect.provide(layer()))
  )
})
