import { assert, describe, it } from "@effect/vitest"
import { Server, SimulatedService } from "@webagent/simulation"
import { type RunCreate, Runs, V4 } from "@webagent/v4"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"

const layer = Layer.unwrap(
  Effect.map(Server, ({ address, apiKeys }) =>
    Layer.orDie(V4.layerClient({ baseUrl: address, apiKey: apiKeys[0] ?? "" }))
  )
).pipe(Layer.provideMerge(SimulatedService.layerHttpClient({ profile: "realistic" })))

/** Creates a run and waits for it, in virtual time. */
const finished = Effect.fnUntraced(function* (input: RunCreate) {
  const runs = yield* Runs
  const waiting = yield* Effect.forkChild(runs.createAndWait(input, { timeout: "2 hours" }))
  yield* TestClock.adjust("2 hours")
  const run = yield* Fiber.join(waiting)
  const [started, ended] = [run.startedAt, run.finishedAt].map((time) => Date.parse(String(time)))
  return { run, took: Duration.millis((ended ?? 0) - (started ?? 0)) }
})

describe("a replay in the simulated service", () => {
  it.effect("has its run's steps and result, costs nothing and takes a tenth of the time", () =>
    Effect.gen(function* () {
      const task = "Buy a mug [simulate outcome=completed duration=60s steps=4]"
      const { run, took } = yield* finished({ task })
      assert.isAbove(Number(run.cost), 0)
      const { run: replay, took: replayTook } = yield* finished({ task: "", replayOf: run.id })
      assert.deepInclude(replay, { status: "completed", task, result: run.result, cost: "0" })
      assert.strictEqual(replay.totalInputTokens ?? 0, 0)
      assert.isAtLeast(Duration.toMillis(took), 9 * Duration.toMillis(replayTook))
      const counts = { replayed: 4, healed: 0, asked: 0 }
      assert.deepStrictEqual({ ...replay.replay }, { of: run.id, asksModel: true, ...counts })
    }).pipe(Effect.provide(layer))
  )

  it.effect("can fail by its own script, and a failed run can't be replayed", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const { run: failed } = yield* finished({ task: "Buy a mug [simulate outcome=failed duration=2s]" })
      const refused = yield* Effect.forkChild(Effect.flip(runs.create({ task: "", replayOf: failed.id })))
      yield* TestClock.adjust("1 hour")
      assert.include((yield* Fiber.join(refused)).message, "only a completed run can be replayed")
      // without steps, nothing has to be repeated
      const { run } = yield* finished({ task: "[simulate steps=0 outcome=completed output=1]" })
      const { run: replay } = yield* finished({ task: "", replayOf: { runId: run.id, asksModel: false } })
      assert.deepInclude(replay, { status: "completed", result: 1, cost: "0" })
      assert.deepInclude(replay.replay, { asksModel: false, replayed: 0 })
      const { run: failing } = yield* finished({ task: "[simulate outcome=failed]", replayOf: run.id })
      assert.strictEqual(failing.status, "failed")
    }).pipe(Effect.provide(layer))
  )
})
