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
    assert.deepStrictEqual(all.map(Agreement.text), [
      "agent and oracle agree on 7 of 10 trials: the agent calls 9 a success, the oracle 6",
      "judge and oracle agree on 4 of 4 trials: the judge calls 0 a success, the oracle 0",
      "agent and judge agree on 1 of 4 trials: the agent calls 3 a success, the judge 0"
    ])
    // agent and judge may differ: no oracle says which of them is wrong
    assert.deepStrictEqual(all.map(Agreement.isWrong), [true, false, false])
  })

  it("is empty where no trial was judged by two", () => {
    assert.isEmpty(Agreement.of(judged([3, { oracle: true }], [2, {}])))
  })
})
