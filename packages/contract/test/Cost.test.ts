import { assert, it } from "@effect/vitest"
import { costOf } from "../src/index.ts"

it.each([
  [{ cost: "0.42" }, "0.42"],
  [{ cost: 0.1 }, "0.1"],
  [{ totalCostUsd: "0.42" }, "0.42"],
  [{ totalCostUsd: 1e-7 }, "0.0000001"],
  [{ cost: null, totalCostUsd: 0 }, "0"],
  [{ cost: "0.1", totalCostUsd: "0.2" }, "0.1"],
  [{ cost: "unknown", totalCostUsd: "0.2" }, "0.2"],
  [{ cost: Number.NaN }, undefined],
  [{ cost: "0.42 USD" }, undefined],
  [{ price: "0.42" }, undefined],
  [{}, undefined]
])("costOf reads %j as %s", (record, cost) => {
  assert.strictEqual(costOf(record), cost)
})
