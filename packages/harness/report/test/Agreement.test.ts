import { assert, describe, it } from "@effect/vitest"
import * as Agreement from "../src/Agreement.ts"
import type { Opinions } from "../src/Trial.ts"

const judged = (...told: ReadonlyArray<readonly [times: number, opinions: Partial<Opinions>]>) => ({
  results: told.map(([times, opinions]) => ({
    trials: Array.from({ length: times }, () => ({ opinions: { oracle: null, agent: null, judge: null, ...opinions } }))
  }))
})

describe("Agreement", () => {
  it("counts the trials on which two judges agree, among those that both have judged", () => {
    const all = Agreement.of(
      judged(
        [6, { oracle: true, agent: true }],
        [3, { oracle: false, agent: true, judge: false }],
        [1, { oracle: false, agent: false, judge: false }],
        [9, { oracle: true }],
        [9, {}]
      )
    )
    assert.deepStrictEqual(all, [
      { judges: ["agent", "oracle"], trials: 10, agreed: 7, successes: [9, 6] },
      { judges: ["judge", "oracle"], trials: 4, agreed: 4, successes: [0, 0] },
      { judges: ["agent", "judge"], trials: 4, agreed: 1, successes: [3, 0] }
    ])
    // agent and judge may differ: no oracle says which of them is wrong
    assert.deepStrictEqual(all.map(Agreement.isWrong), [true, false, false])
  })

  it("is empty if no trial was judged by both", () => {
    assert.isEmpty(Agreement.of(judged([3, { oracle: true }], [2, {}])))
  })
})
