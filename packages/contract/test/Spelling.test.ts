import { assert, describe, it } from "@effect/vitest"
import { meant, misspeltOf } from "../src/Spelling.ts"

const names = ["maxCostUsd", "sessionId", "workspaceId", "languages", "tags"]

/** Returns the number of pairs of letters that are compared: each takes one minimum. */
const comparisonsOf = (run: () => unknown): number => {
  const { min } = Math
  let count = 0
  Math.min = (...values) => {
    count++
    return min(...values)
  }
  try {
    run()
    return count
  } finally {
    Math.min = min
  }
}

describe("Spelling", () => {
  for (const [name, known] of [
    ["max_cost_usd", "maxCostUsd"],
    ["maxCostUDS", "maxCostUsd"],
    ["maxCost", "maxCostUsd"],
    ["sesionId", "sessionId"],
    ["langauges", "languages"],
    ["tag", undefined],
    ["session", undefined],
    ["workspace", undefined],
    ["language", undefined]
  ] as const) {
    it(`misspeltOf returns ${known} for ${name}`, () => assert.strictEqual(misspeltOf(name, names), known))
  }

  it("meant finds the closest word", () => assert.strictEqual(meant("sesion_id", names), "sessionId"))

  for (const [what, find] of [
    ["misspeltOf", misspeltOf],
    ["meant", meant]
  ] as const) {
    it(`${what} compares no letters of a name that is much longer than all others`, () => {
      assert.strictEqual(
        comparisonsOf(() => find("z".repeat(1000), names)),
        0
      )
      assert.isAbove(
        comparisonsOf(() => find("maxCostUDS", names)),
        0
      )
    })
  }
})
