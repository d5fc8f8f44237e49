import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as TokenBucket from "../../src/requests/TokenBucket.ts"

const rate = { perSecond: 2, burst: 3 }

/** How long each of these requests is told to wait. */
const waits = (times: ReadonlyArray<number>) => {
  let bucket: TokenBucket.TokenBucket = TokenBucket.full
  return times.map((now) => {
    const [left, wait] = TokenBucket.take(bucket, rate, now)
    bucket = left
    return wait
  })
}

const Gaps = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2000 }))).check(
  Schema.isMinLength(1)
)

describe("TokenBucket", () => {
  it("allows a burst, then as many as are refilled", () => {
    assert.deepStrictEqual(waits([0, 0, 0, 0, 250, 500, 500]), [0, 0, 0, 500, 250, 0, 500])
  })

  it("holds no more than the burst, however long it was unused", () => {
    assert.deepStrictEqual(waits([0, 60_000, 60_000, 60_000, 60_000]), [0, 0, 0, 0, 500])
  })

  it("keeps working when time is set back", () => {
    assert.deepStrictEqual(waits([1000, 1000, 1000, 0, 500]), [0, 0, 0, 500, 0])
  })

  it.prop(
    "allows a request after the wait, but not a millisecond before",
    [Gaps],
    ([gaps]) => {
      let now = 0
      let bucket: TokenBucket.TokenBucket = TokenBucket.full
      for (const gap of gaps) {
        now += gap
        const [left, wait] = TokenBucket.take(bucket, rate, now)
        bucket = left
        if (wait === 0) continue
        assert.strictEqual(TokenBucket.take(bucket, rate, now + wait)[1], 0)
        assert.isAbove(TokenBucket.take(bucket, rate, now + wait - 1)[1], 0)
      }
    },
    { arbitrary: { seed: 1 } }
  )

  it.prop(
    "never allows more than the burst plus the refill",
    [Gaps],
    ([gaps]) => {
      const times = gaps.map((_, index) => gaps.slice(0, index + 1).reduce((sum, gap) => sum + gap, 0))
      const [first = 0] = times
      const admitted = waits(times).filter((wait) => wait === 0).length
      assert.isAtMost(admitted, rate.burst + (((times.at(-1) ?? 0) - first) * rate.perSecond) / 1000)
    },
    { arbitrary: { seed: 1 } }
  )
})
