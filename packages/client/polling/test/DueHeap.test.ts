import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { DueHeap } from "../src/DueHeap.ts"

const Move = Schema.Struct({
  item: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 12 })),
  due_ms: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 })))
})

describe("DueHeap", () => {
  it.prop(
    "returns the earliest item first after any inserts, moves and removals",
    [Schema.Array(Move)],
    ([moves]) => {
      const heap = new DueHeap<{ due_ms: number; place: number }>()
      const items = Array.from({ length: 13 }, () => ({ due_ms: 0, place: -1 }))
      const model = new Map<number, number>()
      for (const { due_ms, item } of moves) {
        const one = items[item]
        if (one === undefined) return
        if (due_ms === null) {
          heap.remove(one)
          model.delete(item)
        } else {
          heap.set(one, due_ms)
          model.set(item, due_ms)
        }
        const first = model.size === 0 ? undefined : Math.min(...model.values())
        assert.strictEqual(heap.first?.due_ms, first)
      }
      const left = []
      for (let first = heap.first; first !== undefined; first = heap.first) {
        left.push(first.due_ms)
        heap.remove(first)
      }
      assert.deepStrictEqual(
        left,
        Array.from(model.values()).toSorted((a, b) => a - b)
      )
    },
    { arbitrary: { seed: 1 } }
  )
})
