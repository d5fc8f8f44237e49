import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { Agent } from "../../src/agent/Agent.ts"
import * as SimulatedAgent from "../../src/agent/SimulatedAgent.ts"
import type { Turn, TurnEvent } from "../../src/domain/Turn.ts"
import type { BehaviourOptions } from "../../src/simulation/Behaviour.ts"
import { turn } from "../domain/records.ts"

/** All events of a turn, with the time of each. */
const perform = (changes: Partial<Turn>, options: BehaviourOptions = {}) =>
  Effect.gen(function* () {
    const agent = yield* Agent
    const seen: Array<readonly [number, TurnEvent]> = []
    const fiber = yield* Effect.forkChild(
      Stream.runForEach(agent.perform({ ...turn, ...changes }), (event) =>
        Effect.map(
          Effect.clockWith((clock) => clock.currentTimeMillis),
          (now) => seen.push([now, event])
        )
      ),
      { startImmediately: true }
    )
    yield* TestClock.adjust("1 hour")
    yield* Fiber.await(fiber)
    return seen
  }).pipe(Effect.provide(SimulatedAgent.layer(options)))

const end = (changes: Partial<Turn>, options?: BehaviourOptions) =>
  Effect.map(perform(changes, options), (events) => events[1]?.[1])

describe("SimulatedAgent", () => {
  it.effect("starts after a tenth of the duration and ends after all of it", () =>
    Effect.gen(function* () {
      const events = yield* perform({}, { turnDuration: "1 second" })
      assert.deepStrictEqual(
        events.map(([at, event]) => [at, event._tag]),
        [
          [100, "Started"],
          [1000, "Completed"]
        ]
      )
    })
  )

  it.effect("a script decides over the options", () =>
    Effect.gen(function* () {
      const task =
        "[simulate duration=2s recording=true proxyMb=3 judge=false suggestions=1 success=false output=mug cost=1.5]"
      const [first, second] = yield* perform({ task }, { turnDuration: "1 second", failureRate: 1 })
      assert.deepStrictEqual(first, [200, { _tag: "Started", settings: { recording: true }, proxyUsedMb: "3" }])
      // failureRate 1 still holds: the script says nothing of the outcome
      assert.deepStrictEqual(second?.[1], {
        _tag: "Failed",
        error: "The simulated agent failed.",
        report: {
          output: "mug",
          isSuccess: false,
          judgement: {
            verdict: false,
            reasoning: "The simulated outcome does not fit the task.",
            failureReason: "Asked for by the script."
          },
          suggestions: [{ category: "simulated", message: "Simulated suggestion 1." }],
          cost: "1.5"
        }
      })
    })
  )

  for (const [script, output] of [
    ["[simulate output=null]", null],
    ["[simulate output=false]", false],
    ['[simulate output=""]', ""],
    ["[simulate]", "Simulated result of: [simulate]"],
    ["[simulate outcome=failed]", null]
  ] as const) {
    it.effect(`${script} reports ${JSON.stringify(output)}`, () =>
      Effect.map(end({ task: script }), (event) => assert.deepNestedPropertyVal(event, "report.output", output))
    )
  }

  for (const [outcome, tag] of [
    ["completed", "Completed"],
    ["failed", "Failed"],
    ["cancelled", "Cancelled"]
  ] as const) {
    it.effect(`outcome=${outcome} ends with ${tag}`, () =>
      Effect.map(end({ task: `[simulate outcome=${outcome}]` }, { failureRate: 0.5 }), (event) =>
        assert.strictEqual(event?._tag, tag)
      )
    )
  }

  it.effect("a script that cannot be read fails the turn at once with its sentence", () =>
    Effect.gen(function* () {
      const [, last] = yield* perform({ task: "[simulate colour=red]" })
      assert.strictEqual(last?.[0], 0)
      assert.match(
        last?.[1]._tag === "Failed" ? last[1].error : "",
        /^Unknown key "colour" in the script\. Known are /u
      )
    })
  )

  it.effect("draws durations around 150 ms and outcomes at the failure rate, by the turn's id", () =>
    Effect.gen(function* () {
      const runs = yield* Effect.forEach(Array.from({ length: 300 }), (_, index) =>
        perform({ id: `turn-${index}` }, { failureRate: 0.25, seed: 3 })
      )
      const durations = runs.map(([first, last]) => (last?.[0] ?? 0) - (first?.[0] ?? 0)).toSorted((a, b) => a - b)
      assert.closeTo((durations[150] ?? 0) / 0.9, 150, 25)
      const failed = runs.filter(([, last]) => last?.[1]._tag === "Failed").length
      assert.closeTo(failed / 300, 0.25, 0.08)
    })
  )

  it.effect("the same seed and turn give the same report, another seed another cost", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* end({}, { seed: 1 }), yield* end({}, { seed: 1 }))
      assert.notDeepEqual(yield* end({}, { seed: 1 }), yield* end({}, { seed: 2 }))
    })
  )
})
