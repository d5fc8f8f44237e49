import { assert, describe, it } from "@effect/vitest"
import type { Run } from "@webagent/contract/v4"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Outcome, totalCost } from "../src/index.ts"

const Offer = Schema.Struct({ price: Schema.Number })

describe("Outcome.of", () => {
  it.each([
    [
      { status: "completed", result: 42 },
      { _tag: "Completed", result: 42 }
    ],
    [
      { status: "failed", error: "no airport" },
      { _tag: "Failed", error: "no airport" }
    ],
    [
      { status: "failed", error: null },
      { _tag: "Failed", error: undefined }
    ],
    [{ status: "cancelled" }, { _tag: "Cancelled" }],
    [{ status: "running" }, { _tag: "Unfinished" }],
    [{ status: "pondering" }, { _tag: "Unfinished" }]
  ])("%j is %j", (fields, outcome) => {
    const run = { id: "r-1", ...fields } as Run
    assert.deepStrictEqual(Outcome.of(run), { ...outcome, run } as Outcome.Outcome)
  })
})

describe("Outcome.decode", () => {
  const completed = { id: "r-1", status: "completed", cost: "0.0132", raw: { later: 1 } } as const

  it.effect("returns the run with its decoded result and its other fields", () =>
    Effect.gen(function* () {
      for (const result of [{ price: 89 }, '{"price":89}']) {
        const run = yield* Outcome.decode(Offer, { ...completed, result })
        assert.deepStrictEqual(run, { ...completed, result: { price: 89 } })
      }
    })
  )

  it.effect("keeps the result, the run and its cost in the error about a mismatch", () =>
    Effect.gen(function* () {
      const run = { ...completed, result: { price: "89" } }
      const error = yield* Effect.flip(Outcome.decode(Offer, run))
      assert.deepStrictEqual("run" in error && error.run, run)
      assert.strictEqual(
        `${error._tag}: ${error.message}`,
        'ResultMismatchError: The result of run r-1 doesn\'t match the schema: Expected number at ["price"]. ' +
          "It cost 0.0132 USD."
      )
    })
  )

  it.effect("fails with the run if it failed or was canceled", () =>
    Effect.gen(function* () {
      const errors = []
      for (const run of [
        { id: "r-1", status: "failed", error: "no airport", cost: "0.01" },
        { id: "r-2", status: "failed" },
        { id: "r-3", status: "cancelled", result: { price: 1 } }
      ] as const) {
        const error = yield* Effect.flip(Outcome.decode(Offer, run))
        assert.deepStrictEqual(error.run, run)
        errors.push(`${error._tag}: ${error.message}`)
      }
      assert.deepStrictEqual(errors, [
        "RunFailedError: Run r-1 failed: no airport. It cost 0.01 USD.",
        "RunFailedError: Run r-2 failed: no reason given.",
        "RunCancelledError: Run r-3 was cancelled."
      ])
    })
  )
})

describe("totalCost", () => {
  it("is exact, and counts unknown costs", () => {
    const runs = [{ cost: "0.1" }, { cost: "0.2" }, {}, { cost: null }]
    assert.deepStrictEqual(totalCost(runs), { total: "0.3", known: 2, unknown: 2 })
  })
})
