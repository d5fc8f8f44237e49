import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Sleepers from "../../src/simulation/Sleepers.ts"

/** A moment to sleep until, or, below zero, which of those that were added gives up. */
const Acts = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: -60, maximum: 90 }))).check(
  Schema.isMaxLength(120)
)

describe("Sleepers", () => {
  it.effect.prop(
    "wake in the order of their moments, those of one moment in order of arrival; who gave up never does",
    [Acts],
    ([acts]) =>
      Effect.sync(() => {
        const sleepers = Sleepers.make()
        const woken: Array<string> = []
        const added: Array<{ readonly at: number; readonly name: string; readonly forget: () => void }> = []
        const gone = new Set<string>()
        for (const [index, act] of acts.entries()) {
          const chosen = act < 0 ? added[-act - 1] : undefined
          if (chosen !== undefined) {
            chosen.forget()
            chosen.forget()
            gone.add(chosen.name)
          } else if (act >= 0) {
            const name = `${act} ${index}`
            added.push({ at: act, name, forget: sleepers.add({ at: act, wake: () => void woken.push(name) }) })
          }
        }
        const staying = added.filter(({ name }) => !gone.has(name))
        assert.strictEqual(sleepers.size(), staying.length)
        for (let next = sleepers.take(); next !== undefined; next = sleepers.take()) next.wake()
        assert.deepStrictEqual(
          woken,
          // a sort that is stable keeps the order of arrival
          staying.toSorted((left, right) => left.at - right.at).map(({ name }) => name)
        )
      }),
    { arbitrary: { runs: 500, size: 120 } }
  )
})
