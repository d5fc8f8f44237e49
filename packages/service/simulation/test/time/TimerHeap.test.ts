import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as TimerHeap from "../../src/time/TimerHeap.ts"

/** A moment to sleep until, or, below zero, which of those that were added gives up. */
const Acts = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: -60, maximum: 90 }))).check(
  Schema.isMaxLength(120)
)

interface Named extends TimerHeap.Timer {
  readonly name: string
}

describe("TimerHeap", () => {
  it.effect.prop(
    "wakes entries in the order of their times, then of arrival, and skips removed ones",
    [Acts],
    ([acts]) =>
      Effect.sync(() => {
        const timers = TimerHeap.make<Named>()
        const woken: Array<string> = []
        const added: Array<Named> = []
        const gone = new Set<string>()
        for (const [index, act] of acts.entries()) {
          const chosen = act < 0 ? added[-act - 1] : undefined
          if (chosen !== undefined) {
            timers.remove(chosen)
            timers.remove(chosen)
            gone.add(chosen.name)
          } else if (act >= 0) {
            const timer = { at: act, ordinal: 0, place: -1, name: `${act} ${index}` }
            timers.add(timer)
            added.push(timer)
          }
        }
        const staying = added.filter(({ name }) => !gone.has(name))
        assert.strictEqual(timers.size(), staying.length)
        for (let next = timers.take(); next !== undefined; next = timers.take()) woken.push(next.name)
        assert.deepStrictEqual(
          woken,
          // a sort that is stable keeps the order of arrival
          staying.toSorted((left, right) => left.at - right.at).map(({ name }) => name)
        )
      }),
    { arbitrary: { seed: 1, runs: 500, size: 120 } }
  )
})
