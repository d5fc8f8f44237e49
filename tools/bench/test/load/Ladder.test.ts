import { assert, describe, it } from "vitest"
import { climb, climbOf, crossed, gaveFirst, type Limits, rates, type Step } from "../../src/load/Ladder.ts"

const limits: Limits = { p95_ms: 100, failed: 0.01, dropped: 0.01 }

const step = (rate: number, over: Partial<Step> = {}): Step => ({
  rate,
  requests: rate * 30,
  perSecond: rate * 5,
  p50_ms: 1,
  p95_ms: 2,
  p99_ms: 3,
  failed: 0,
  lost: 0,
  dropped: 0,
  cpu_us: 100,
  loop: 0.2,
  k6: 0.2,
  ...over
})

describe("Ladder", () => {
  it("rates go up by the same factor, in whole starts", () => {
    assert.deepStrictEqual(rates(60, 1.25, 5), [60, 75, 94, 117, 146])
  })

  it("a rate is carried while nothing is crossed, and each limit has its word", () => {
    assert.isUndefined(crossed(step(60, { p95_ms: 100, failed: 0.01, dropped: 0.01 }), limits))
    assert.strictEqual(crossed(step(60, { p95_ms: 101 }), limits), "p95")
    assert.strictEqual(crossed(step(60, { dropped: 0.02, p95_ms: 101 }), limits), "starts dropped")
    assert.strictEqual(crossed(step(60, { failed: 0.02, dropped: 0.02 }), limits), "errors")
    assert.strictEqual(crossed(step(60, { lost: 1 }), limits), "runs or browsers lost")
  })

  it("a loop that is always busy is the server's end; one with time left was not asked fast enough", () => {
    assert.strictEqual(gaveFirst({ loop: 0.95, k6: 0.95 }), "the server's event loop")
    assert.strictEqual(gaveFirst({ loop: 0.5, k6: 0.95 }), "k6's core")
    assert.match(gaveFirst({ loop: 0.5, k6: 0.4 }), /something else/u)
  })

  it("goes up until a rate is not carried, and no further", async () => {
    const asked: Array<number> = []
    const measure = (rate: number) => {
      asked.push(rate)
      return Promise.resolve(step(rate, rate >= 94 ? { p95_ms: 500, loop: 0.99 } : {}))
    }
    const { broke, carried, steps } = await climb([60, 75, 94, 117], measure, limits)
    assert.deepStrictEqual(asked, [60, 75, 94, 94])
    assert.strictEqual(carried, 75)
    assert.lengthOf(steps, 3)
    assert.strictEqual(broke?.by, "p95")
    assert.strictEqual(broke?.first, "the server's event loop")
  })

  it("a rate that is carried at the second attempt is carried", async () => {
    let attempts = 0
    const measure = (rate: number) => Promise.resolve(step(rate, ++attempts === 1 ? { failed: 0.5 } : {}))
    const { broke, carried } = await climb([60, 75], measure, limits)
    assert.strictEqual(carried, 75)
    assert.isUndefined(broke)
  })

  it("a server that carries nothing has carried 0", () => {
    assert.strictEqual(climbOf([step(60, { failed: 1 })], limits).carried, 0)
  })
})
