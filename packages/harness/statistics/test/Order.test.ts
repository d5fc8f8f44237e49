import { assert, describe, it } from "vitest"
import { orders } from "../src/Order.ts"

describe("orders", () => {
  it("balance both orders in every two pairs, and the seed draws the first one", () => {
    const drawn = Array.from({ length: 20 }, (_, seed) => orders(7, seed))
    for (const order of drawn) {
      assert.strictEqual(order.length, 7)
      for (const pair of [0, 2, 4]) assert.notStrictEqual(order[pair], order[pair + 1])
    }
    assert.deepStrictEqual(orders(7, 3), orders(7, 3))
    assert.isAbove(new Set(drawn.map(String)).size, 5)
    const first = Array.from({ length: 2000 }, (_, seed) => orders(1, seed)[0])
    assert.closeTo(first.filter((order) => order === "AB").length / 2000, 0.5, 0.04)
  })
})
