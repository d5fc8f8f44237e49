import { assert, describe, it } from "vitest"
import { allSteps, fits, rangeOf, type StepFilter } from "../../src/features/run/stepFilter.ts"
import { makeWorld } from "../server/World.ts"

const world = makeWorld(4)
const [, , , failed] = [...world.runs.values()]
if (failed === undefined) throw new Error("The world has no failed run")
const steps = world.stepsOf(failed)

const numbersOf = (filter: Partial<StepFilter>) =>
  steps.filter((step) => fits(step, { ...allSteps, ...filter })).map(({ number }) => number)

describe("the filter of steps", () => {
  it("matches a step's words in any order and case, its address and its failure", () => {
    assert.lengthOf(numbersOf({}), 9)
    assert.deepStrictEqual(numbersOf({ text: " PRICES  read " }), [2, 6])
    assert.deepStrictEqual(numbersOf({ text: "q=3" }), [3])
    assert.deepStrictEqual(numbersOf({ text: "covers it" }), [9])
    assert.deepStrictEqual(numbersOf({ text: "nothing of this sort" }), [])
  })

  it("matches failed steps, and those within a range of the timeline", () => {
    assert.deepStrictEqual(numbersOf({ isFailed: true }), [9])
    const [, second, third] = steps
    if (second === undefined || third === undefined) throw new Error("The run is too short")
    assert.deepStrictEqual(numbersOf({ range: rangeOf(second) }), [2])
    const range = { from_ms: rangeOf(second).from_ms + 1, to_ms: rangeOf(third).from_ms + 1 }
    assert.deepStrictEqual(numbersOf({ range }), [2, 3])
    assert.deepStrictEqual(numbersOf({ range, isFailed: true }), [])
    assert.strictEqual(rangeOf({ ...second, durationMs: null }).to_ms, Infinity)
  })
})
