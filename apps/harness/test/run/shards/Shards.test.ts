import { assert, describe, it } from "@effect/vitest"
import { scenario } from "@webagent/scenario"
import * as Schema from "effect/Schema"
import * as Shards from "../../../src/run/shards/Shards.ts"

const planned = (suite: string, name: string, trials = 1) => ({
  suite,
  scenario: scenario(name, { trials }, function* () {})
})

const learned = (durations: Readonly<Record<string, number>>) =>
  new Map(
    Object.entries(durations).map(([key, duration_p75_ms]) => [JSON.stringify(key.split("/")), { duration_p75_ms }])
  )

const Weights = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 }))).check(
  Schema.isMaxLength(12)
)
const Count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 }))
const Seed = Schema.Int

const scenarios = (weights: ReadonlyArray<number>): ReadonlyArray<Shards.Weighed> =>
  weights.map((weight, index) => ({ suite: `suite ${index % 3}`, name: `scenario ${index}`, weight }))

const loadsOf = (all: ReadonlyArray<Shards.Weighed>, of: number) => {
  const shards = Shards.split(all, of)
  const loads = Array.from({ length: of }, () => 0)
  for (const { name, suite, weight } of all) {
    const shard = shards.get(JSON.stringify([suite, name])) ?? 0
    loads[shard - 1] = (loads[shard - 1] ?? 0) + weight
  }
  return loads
}

/** The longest shard of the best split there is, by trying all of them. */
const best = (weights: ReadonlyArray<number>, of: number): number => {
  const loads = Array.from({ length: of }, () => 0)
  let found = Number.POSITIVE_INFINITY
  const place = (index: number) => {
    const longest = Math.max(...loads)
    if (longest >= found) return
    const weight = weights[index]
    if (weight === undefined) {
      found = longest
      return
    }
    const tried = new Set<number>()
    for (const [shard, load] of loads.entries()) {
      if (tried.has(load)) continue
      tried.add(load)
      loads[shard] = load + weight
      place(index + 1)
      loads[shard] = load
    }
  }
  place(0)
  return found
}

describe("Shards", () => {
  it.prop(
    "assign each scenario to exactly one shard",
    [Weights, Count],
    ([weights, of]) => {
      const all = scenarios(weights)
      const shards = Shards.split(all, of)
      assert.deepStrictEqual(
        [...shards.keys()].toSorted(),
        all.map(({ name, suite }) => JSON.stringify([suite, name])).toSorted()
      )
      for (const shard of shards.values()) assert.isTrue(Number.isInteger(shard) && shard >= 1 && shard <= of)
    },
    { arbitrary: { seed: 1 } }
  )

  it.prop(
    "don't depend on the order of the given scenarios",
    [Weights, Count, Seed],
    ([weights, of, seed]) => {
      const all = scenarios(weights)
      const places = all.map((_, index) => Math.sin(seed + index))
      const mixed = all.map((one, index) => ({ one, place: places[index] ?? 0 })).toSorted((a, b) => a.place - b.place)
      const sortedOf = (given: ReadonlyArray<Shards.Weighed>) => Array.from(Shards.split(given, of)).toSorted()
      assert.deepStrictEqual(sortedOf(mixed.map(({ one }) => one)), sortedOf(all))
    },
    { arbitrary: { seed: 1 } }
  )

  it.prop(
    "take at most a third longer than the best split",
    [Weights, Count],
    ([weights, of]) => {
      const longest = Math.max(...loadsOf(scenarios(weights), of))
      assert.isAtMost(longest, best(weights, of) * (4 / 3 - 1 / (3 * of)) + 1e-9)
    },
    { arbitrary: { seed: 1 } }
  )

  it("use learned durations times the number of trials", () => {
    const plan = [planned("shop", "slow"), planned("shop", "quick", 5)]
    assert.deepStrictEqual(
      Shards.weigh(plan, learned({ "shop/slow": 900, "shop/quick": 100 })).map(({ weight }) => weight),
      [900, 500]
    )
    assert.deepStrictEqual(
      Shards.weigh(plan, learned({ "shop/slow": 900, "shop/quick": 100 }), 2).map(({ weight }) => weight),
      [1800, 200]
    )
  })

  it("use the suite's duration for unknown scenarios, then that of all, then equal ones", () => {
    const plan = [planned("shop", "a"), planned("shop", "b"), planned("shop", "new"), planned("other", "new", 2)]
    assert.deepStrictEqual(
      Shards.weigh(plan, learned({ "shop/a": 100, "shop/b": 500 })).map(({ weight }) => weight),
      [100, 500, 400, 800]
    )
    assert.deepStrictEqual(
      Shards.weigh(plan, learned({ "gone/a": 100, "shop/a": 0 })).map(({ weight }) => weight),
      [1, 1, 1, 2]
    )
  })

  it("keep a plan's order within a shard, and are the plan together", () => {
    const plan = ["a", "b", "c", "d", "e"].map((name) => planned("shop", name))
    const partOf = (index: number) =>
      Shards.partOf({ plan, learned: new Map(), trials: undefined, shard: { index, of: 2 }, was: undefined })
    assert.deepStrictEqual(
      [1, 2].map((index) => partOf(index).plan.map(({ scenario }) => scenario.name)),
      [
        ["a", "c", "e"],
        ["b", "d"]
      ]
    )
    const { shard } = partOf(2)
    assert.deepStrictEqual(
      shard.plan?.map(({ shard }) => shard),
      [1, 2, 1, 2, 1]
    )
    // one that goes on is as it was, whatever has been learnt since
    const moved = { ...shard, plan: plan.map(({ scenario, suite }) => ({ suite, name: scenario.name, shard: 2 })) }
    assert.deepStrictEqual(
      Shards.partOf({ plan, learned: new Map(), trials: undefined, shard: { index: 2, of: 2 }, was: moved }),
      { plan, shard: moved }
    )
  })
})
