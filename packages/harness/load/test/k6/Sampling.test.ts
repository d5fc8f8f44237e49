import { assert, describe, it } from "@effect/vitest"
import { includes } from "../../k6/Sampling.ts"

/** Returns the sampled iterations of all users, and the number of users. */
const sampled = (share: number, vus: number, iterations: number) => {
  const counts = Array.from(
    { length: vus },
    (_, vu) =>
      Array.from({ length: iterations }, (_, iteration) => includes({ share, vus, vu: vu + 1, iteration })).filter(
        Boolean
      ).length
  )
  return {
    share: counts.reduce((sum, count) => sum + count, 0) / (vus * iterations),
    users: counts.filter((n) => n > 0)
  }
}

describe("Sampling", () => {
  for (const [share, vus] of [
    [0.01, 50],
    [0.01, 2000],
    [0.2, 10],
    [1, 7]
  ] as const) {
    it(`decodes ${share * 100} % of the responses of ${vus} users, in as few of them as possible`, () => {
      const { share: found, users } = sampled(share, vus, 1000)
      assert.closeTo(found, share, share / 20)
      assert.strictEqual(users.length, Math.min(vus, Math.max(5, vus * share)))
    })
  }

  it("samples a very short test, and nothing with a share of 0", () => {
    assert.strictEqual(sampled(0.01, 50, 1).users.length, 5)
    assert.strictEqual(sampled(0, 50, 100).users.length, 0)
  })
})
