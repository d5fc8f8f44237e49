import { check, scenario, type ScenarioOptions, Suite } from "@webagent/scenario"
import { assert, describe, it } from "@effect/vitest"
import * as Plan from "../../src/run/Plan.ts"

const passes = function* () {
  yield* check.isTrue(true)
}
const shop = Suite.make("shop", [scenario("buys", passes), scenario("buys a mug", passes), scenario("pays", passes)])
const named = (name: string) => Plan.make([shop], { tags: [], name }).map(({ scenario }) => scenario.name)

describe("Plan", () => {
  it("selects scenarios whose names contain the given text, in any case", () => {
    assert.deepStrictEqual(named("BUYS"), ["buys", "buys a mug"])
    assert.deepStrictEqual(named("ys"), ["buys", "buys a mug", "pays"])
    assert.deepStrictEqual(named("sells"), [])
  })

  it("selects one scenario by its whole name, as in a report's replay command", () => {
    assert.deepStrictEqual(named("buys"), ["buys"])
  })

  it("selects only scenarios with only: true, unless one is named", () => {
    const focused = Suite.make("focused", [scenario("first", { only: true }, passes), scenario("second", passes)])
    const namesOf = (name?: string) =>
      Plan.make([shop, focused], { tags: [], ...(name === undefined ? {} : { name }) }).map(
        ({ scenario }) => scenario.name
      )
    assert.deepStrictEqual(namesOf(), ["first"])
    assert.deepStrictEqual(namesOf("second"), ["second"])
  })

  it("limits a trial's cost to its part of the budget, and to nothing without paid needs", () => {
    const of = (options: ScenarioOptions, trials: number | null = null, trialBudget?: string) =>
      Plan.trialBudgetOf({ suite: "shop", scenario: scenario("pays", options, function* () {}) }, trials, trialBudget)
    assert.deepStrictEqual(
      [
        of({}),
        of({ needs: ["money"] }),
        of({ needs: ["money"] }, 4, "0.25"),
        of({ needs: ["money"], budget: "0.30 USD", trials: 3 }, 6)
      ],
      ["0", undefined, "0.25", "0.1"]
    )
  })
})
