import { assert, describe, it } from "@effect/vitest"
import * as BoundedMap from "../../src/journal/BoundedMap.ts"

describe("BoundedMap", () => {
  it("drops the oldest entry when it is full, and reports it", () => {
    const forgotten: Array<number> = []
    const recent = BoundedMap.make<number>(2, (value) => forgotten.push(value))
    recent.set("a", 1)
    recent.set("b", 2)
    recent.set("a", 3)
    assert.deepStrictEqual([recent.size(), forgotten], [2, []])
    recent.set("c", 4)
    assert.deepStrictEqual([recent.get("a"), recent.get("b"), recent.get("c"), forgotten], [undefined, 2, 4, [3]])
    recent.delete("b")
    recent.set("d", 5)
    assert.deepStrictEqual([[...recent.values()], forgotten], [[4, 5], [3]])
  })
})
