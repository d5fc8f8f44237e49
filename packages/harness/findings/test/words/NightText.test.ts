import { assert, it } from "@effect/vitest"
import * as NightText from "../../src/words/NightText.ts"
import { night, scenario } from "../nights.ts"

it("the cost of a night shows its extra trials separately", () => {
  const confirm = { figure: "pass rate", passed: 3, scored: 5 } as const
  const of = (change: Parameters<typeof scenario>[2]) =>
    NightText.costText(night(1, [scenario("pays", 5, { cost_usd: "0.34", ...change })], { cost_usd: "0.54" }))
  assert.strictEqual(of({ confirm }), "0.54 USD, 0.20 to confirm")
  assert.strictEqual(of({}), "0.54 USD")
  assert.strictEqual(of({ confirm, cost_usd: "0.54" }), "0.54 USD")
})
