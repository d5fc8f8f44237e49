import { assert, describe, it } from "@effect/vitest"
import { learned } from "../src/Learned.ts"
import { keyOf } from "../src/Night.ts"
import { night, scenario } from "./nights.ts"

describe("learned", () => {
  it("has the duration and cost of a trial, from nights on the same target, including partial ones", () => {
    const elsewhere = { ...night(0, []).fingerprint, target: "https://a.example" }
    const nights = [
      night(0, [scenario("pays", 5, { spent_ms: 5000, cost_usd: "0.01" })]),
      night(1, [scenario("pays", 4, { spent_ms: 10_000, cost_usd: "0.000003" })], {
        partial: { _tag: "Stopped", isShard: false }
      }),
      night(2, [scenario("pays", 0, { spent_ms: 99_000 })], { fingerprint: elsewhere }),
      night(3, [scenario("other")])
    ]
    const pays = learned(nights, "simulated").get(keyOf("shop", "pays"))
    assert.deepStrictEqual(pays, {
      suite: "shop",
      name: "pays",
      nights: 2,
      passRate: 0.9,
      duration_p75_ms: 1750,
      // 0.010003 of ten trials, rounded up
      cost_usd: "0.001001",
      requests: 10,
      lastVerdicts: ["passed", "flaky"],
      lastRun: "2026-01-02T02:00:00.000Z",
      source: "aa"
    })
    assert.strictEqual(learned(nights, "https://a.example").size, 1)
  })

  it("uses thirty nights, and keeps ten verdicts", () => {
    const nights = Array.from({ length: 40 }, (_, day) => night(day, [scenario("pays", day < 10 ? 0 : 5)]))
    const pays = learned(nights, "simulated").get(keyOf("shop", "pays"))
    assert.deepStrictEqual([pays?.nights, pays?.passRate, pays?.lastVerdicts.length], [30, 1, 10])
  })
})
