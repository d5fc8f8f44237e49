import { assert, describe, it } from "@effect/vitest"
import * as Agreement from "../src/Agreement.ts"
import type { Opinions, Trial } from "../src/Trial.ts"

const trials = (...told: ReadonlyArray<readonly [times: number, opinions: Partial<Opinions>]>): ReadonlyArray<Trial> =>
  told.flatMap(([times, opinions]) =>
    Array.from({ length: times }, (_, index) => ({
      index,
      seed: 1,
      verdict: "passed" as const,
      started_ms: 0,
      duration_ms: 1,
      checks: 1,
      requests: 1,
      cost_usd: "0",
      reruns: [],
      opinions: { oracle: null, agent: null, judge: null, ...opinions },
      leakedBrowsers: [],
      breaches: []
    }))
  )

describe("Agreement", () => {
  it("counts what two say of each trial, and how far that is from chance", () => {
    // the worked example of Cohen's kappa: 20, 5, 10, 15 of 50 give 0.7 and 0.4
    const agreement = Agreement.of(
      trials(
        [20, { oracle: true, judge: true }],
        [5, { oracle: true, judge: false }],
        [10, { oracle: false, judge: true }],
        [15, { oracle: false, judge: false }],
        [9, { oracle: true }],
        [9, {}]
      )
    )
    const [pair, ...others] = agreement?.pairs ?? []
    assert.deepStrictEqual([pair?.one, pair?.other, others], ["oracle", "judge", []])
    assert.deepStrictEqual([pair?.both, pair?.onlyOne, pair?.onlyOther, pair?.neither], [20, 5, 10, 15])
    assert.closeTo(pair?.agreement ?? 0, 0.7, 1e-12)
    assert.closeTo(pair?.kappa ?? 0, 0.4, 1e-12)
    assert.isUndefined(agreement?.inflation)
  })

  it("says how much more the agent claims than the oracle finds", () => {
    const agreement = Agreement.of(
      trials(
        [6, { oracle: true, agent: true }],
        [3, { oracle: false, agent: true, judge: false }],
        [1, { oracle: false, agent: false, judge: false }]
      )
    )
    assert.deepStrictEqual(
      agreement?.pairs.map(({ one, other }) => `${one} ${other}`),
      ["oracle agent", "oracle judge", "agent judge"]
    )
    const { by, claimed, found, trials: count } = agreement?.inflation ?? { by: 0, claimed: 0, found: 0, trials: 0 }
    assert.deepStrictEqual([count, claimed, found], [10, 0.9, 0.6])
    assert.closeTo(by, 0.3, 1e-12)
  })

  it("says nothing of chance where both always say one thing", () => {
    const [pair] = Agreement.of(trials([4, { oracle: true, agent: true }]))?.pairs ?? []
    assert.deepStrictEqual([pair?.agreement, pair?.kappa], [1, null])
  })

  it("is nothing where no trial was judged by two", () => {
    assert.isUndefined(Agreement.of(trials([3, { oracle: true }], [2, {}])))
  })
})
