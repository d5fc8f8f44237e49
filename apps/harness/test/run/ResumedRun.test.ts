import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { trialKey } from "../../src/run/RunnerOptions.ts"
import type { RunEvent } from "@webagent/report/RunEvent"
import type { Trial } from "@webagent/report/Trial"
import { run, type StageOptions, suiteOf } from "./stage.ts"

/** A suite that counts how often each of its scenarios is run. */
const counted = () => {
  const times = new Map<string, number>()
  const story = (name: string, effect: Effect.Effect<unknown, unknown>) => {
    const count = Effect.sync(() => times.set(name, (times.get(name) ?? 0) + 1))
    return [name, Effect.andThen(count, effect)] as const
  }
  const suite = suiteOf("shop", [
    story("opens", Effect.sleep("1 second")),
    story("sells", Effect.andThen(Effect.sleep("2 seconds"), Effect.fail("sold out"))),
    story("closes", Effect.sleep("3 seconds"))
  ])
  return { suite, times }
}

const running = Effect.fnUntraced(function* (options: StageOptions) {
  const { suite, times } = counted()
  const fiber = yield* Effect.forkChild(run([suite], { concurrency: 1, trials: 2, ...options }))
  yield* TestClock.adjust("1 minute")
  return { ...(yield* Fiber.join(fiber)), times }
})

const doneIn = (events: ReadonlyArray<RunEvent>): ReadonlyMap<string, Trial> =>
  new Map(
    events.flatMap((event) =>
      event._tag === "TrialFinished" ? [[trialKey(event.suite, event.scenario, event.trial.index), event.trial]] : []
    )
  )

describe("a resumed run", () => {
  it.effect("ends like an uninterrupted one, wherever it was killed, and repeats no trial", () =>
    Effect.gen(function* () {
      const whole = yield* running({})
      const ends = whole.events.flatMap((event, index) => (event._tag === "TrialFinished" ? [index + 1] : []))
      assert.lengthOf(ends, 6)
      for (const end of [1, ...ends]) {
        const done = doneIn(whole.events.slice(0, end))
        const worked_ms = Math.max(0, ...[...done.values()].map((trial) => trial.started_ms + trial.duration_ms))
        const rest = yield* running({ done, worked_ms })
        assert.deepStrictEqual(rest.report, whole.report)
        const ran = [...rest.times.values()].reduce((sum, times) => sum + times, 0)
        assert.strictEqual(ran + done.size, 6)
        assert.strictEqual(doneIn(rest.events).size, 6 - done.size)
      }
    })
  )

  it.effect("has the limits of the whole run", () =>
    Effect.gen(function* () {
      const whole = yield* running({})
      const done = doneIn(whole.events.slice(0, 6))
      const { report } = yield* running({ done, worked_ms: 2000, limits: { time_ms: 5000 } })
      assert.deepStrictEqual(
        report.results.map(({ trials }) => trials.map(({ verdict }) => verdict)),
        [["passed", "passed"], ["failed", "skipped"], []]
      )
    })
  )
})
