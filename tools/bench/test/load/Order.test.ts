import { assert, describe, it } from "vitest"
import { orderOf } from "../../src/load/Order.ts"

const followers = (count: number, rounds: number) => {
  const seen = new Map<string, number>()
  for (let round = 0; round < rounds; round++) {
    const order = orderOf(count, round)
    for (const [turn, number] of order.entries()) {
      const before = order[turn - 1]
      if (before !== undefined) seen.set(`${before}>${number}`, (seen.get(`${before}>${number}`) ?? 0) + 1)
    }
  }
  return seen
}

describe("Order", () => {
  it("each has one turn in each round", () => {
    for (const count of [1, 2, 3, 4, 5]) {
      for (let round = 0; round < 12; round++) {
        assert.deepStrictEqual(
          orderOf(count, round).toSorted((a, b) => a - b),
          Array.from({ length: count }, (_, number) => number)
        )
      }
    }
  })

  it("each comes after each other one equally often", () => {
    for (const [count, rounds, times] of [
      [4, 4, 1],
      [5, 10, 2],
      [3, 6, 2],
      [2, 2, 1]
    ] as const) {
      const seen = followers(count, rounds)
      assert.strictEqual(seen.size, count * (count - 1), `${count} in turns`)
      assert.isTrue(
        [...seen.values()].every((found) => found === times),
        `${count} in turns`
      )
    }
  })
})
