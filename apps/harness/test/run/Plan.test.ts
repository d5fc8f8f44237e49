import { check, scenario, type ScenarioOptions, Suite } from "@webagent/scenario"
import { assert, describe, it } from "@effect/vitest"
import * as Plan from "../../src/run/Plan.ts"

const passes = function* () {
  yield* check.isTrue(true)
}
const shop = Suite.make("shop", [scenario("buys", passes), scenario("buys a mug", passes), scenario("pays", passes)])
const named = (name: string) => Plan.make([shop], { tags: [], name }).map(({ scenario }) => scenario.name)

describe("Plan", () => {
  it("a name takes the scenarios that contain it, in any case", () => {
    assert.deepStrictEqual(named("BUYS"), ["buys", "buys a mug"])
    assert.deepStrictEqual(named("ys"), ["buys", "buys a mug", "pays"])
    assert.deepStrictEqual(named("sells"), [])
  })

  it("a whole name takes that scenario alone: what a report says to replay is one", () => {
    assert.deepStrictEqual(named("buys"), ["buys"])
  })

  it("only: true keeps every other scenario from running, unless one is named", () => {
    const focused = Suite.make("focused", [scenario("first", { only: true }, passes), scenario("second", passes)])
    const namesOf = (name?: string) =>
      Plan.make([shop, focused], { tags: [], ...(name === undefined ? {} : { name }) }).map(
        ({ scenario }) => scenario.name
      )
    assert.deepStrictEqual(namesOf(), ["first"])
    assert.deepStrictEqual(namesOf("second"), ["second"])
  })

  it("one trial may cost its part of the budget, and nothing where it needs nothing that costs", () => {
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
