import { assert, describe, it } from "@effect/vitest"
import type { Comparison } from "@webagent/report/Comparison"
import * as Statistics from "../../src/words/Statistics.ts"

const row = (change: Partial<Comparison>): Comparison => ({
  figure: "duration",
  scenario: null,
  verdict: "regressed",
  isUnusual: false,
  now: null,
  before: null,
  change: 0.71,
  window: 1,
  since: "2026-10-17T02:00:00.000Z",
  nights: 16,
  detectable: null,
  ...change
})

describe("the text about a comparison's evidence", () => {
  it("describes a typical scenario for a whole night", () => {
    const scenario = { suite: "shop", name: "pays" }
    assert.deepStrictEqual(
      [
        row({}),
        row({ change: 2.3 }),
        row({ figure: "cost", change: 1 }),
        row({ figure: "cost", change: 2.3 }),
        row({ scenario }),
        row({ scenario, figure: "cost", change: 2.3 }),
        row({ scenario, change: 0 })
      ].map(Statistics.evidence),
      [
        "a typical scenario took 71 % longer tonight than in the 16 nights before",
        "a typical scenario took 3.3 times as long tonight as in the 16 nights before",
        "a typical scenario cost 100 % more tonight than in the 16 nights before",
        "a typical scenario cost 3.3 times as much tonight as in the 16 nights before",
        "71 % longer tonight than in the 16 nights before",
        "3.3 times as expensive tonight as in the 16 nights before",
        "the same tonight as in the 16 nights before"
      ]
    )
  })

  it("expresses confidence as the improbability of chance", () => {
    assert.deepStrictEqual(
      [0.0009, 0.004, 0.05, undefined].map((pValue) =>
        Statistics.sureness(row(pValue === undefined ? {} : { pValue }))
      ),
      [
        "very sure: chance alone causes this in fewer than 1 in 1,000 nights",
        "sure: chance alone causes this in about 1 in 250 nights",
        "chance alone causes this in about 1 in 20 nights",
        undefined
      ]
    )
  })
})
