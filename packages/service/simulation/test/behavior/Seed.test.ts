import { Uuid } from "@webagent/contract"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Seed from "../../src/behavior/Seed.ts"

const isVersion4 = Schema.is(Schema.String.check(Schema.isUUID(4)))

describe("Seed", () => {
  it.prop(
    "makes version 4 UUIDs, the same for the same key and different ones otherwise",
    [Schema.Int, Schema.Int],
    ([seed, n]) => {
      const id = Seed.uuid(seed, "turn", n)
      assert.isTrue(isVersion4(id) && Schema.is(Uuid)(id), id)
      assert.strictEqual(id, Seed.uuid(seed, "turn", n))
      assert.strictEqual(new Set([id, Seed.uuid(seed + 1, "turn", n), Seed.uuid(seed, "session", n)]).size, 3)
    },
    { arbitrary: { seed: 1 } }
  )

  it("keeps similar keys apart", () => {
    assert.notStrictEqual(Seed.draw(1, "a", "bc"), Seed.draw(1, "ab", "c"))
    assert.notStrictEqual(Seed.draw(1, 2, "x"), Seed.draw(12, "x"))
  })

  it("draws evenly from [0, 1), and normal values with mean 0 and deviation 1", () => {
    const draws = Array.from({ length: 4000 }, (_, index) => Seed.draw(1, index))
    const buckets = Array.from({ length: 10 }, (_, tenth) => draws.filter((n) => Math.floor(n * 10) === tenth).length)
    assert.isTrue(
      buckets.every((count) => count > 320 && count < 480),
      String(buckets)
    )
    const normal = Array.from({ length: 4000 }, (_, index) => Seed.drawNormal(1, index))
    const mean = normal.reduce((sum, n) => sum + n, 0) / normal.length
    const deviation = Math.sqrt(normal.reduce((sum, n) => sum + (n - mean) ** 2, 0) / normal.length)
    assert.isBelow(Math.abs(mean), 0.06)
    assert.isBelow(Math.abs(deviation - 1), 0.06)
  })
})
