import { assert, describe, it } from "@effect/vitest"
import * as Loops from "../../src/agent/Loops.ts"

describe("Loops", () => {
  it("count the same calls on the same page, even with other steps between them", () => {
    const loops = Loops.make()
    assert.deepStrictEqual(
      ["a", "b", "a", "c", "a"].map((calls) => loops.acted("page", calls).same),
      [1, 1, 2, 1, 3]
    )
    assert.deepStrictEqual(loops.acted("another page", "a"), { same: 1, alike: 1 })
  })

  it("treat pages that differ in digits as different", () => {
    const loops = Loops.make()
    assert.deepStrictEqual(
      ["12:59:59", "13:00:00", "13:00:00"].map((time) => loops.acted(`It is ${time}`, "a")),
      [
        { same: 1, alike: 1 },
        { same: 1, alike: 2 },
        { same: 2, alike: 3 }
      ]
    )
  })

  it("forget steps that are more than 20 steps old", () => {
    const loops = Loops.make()
    loops.acted("page", "first")
    for (let step = 0; step < 19; step++) loops.acted("page", `${step}`)
    assert.strictEqual(loops.acted("page", "first").same, 1)
  })

  it("count for how many steps a page doesn't change", () => {
    const loops = Loops.make()
    assert.deepStrictEqual(
      ["a", "a", "a", "b", "a", "a"].map((page) => loops.seen(page)),
      [0, 1, 2, 0, 0, 1]
    )
  })
})
