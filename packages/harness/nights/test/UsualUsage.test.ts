import { assert, describe, it } from "@effect/vitest"
import { judge } from "../src/Judge.ts"
import { night, scenario } from "./nights.ts"
import { of } from "./judged.ts"

const nightOf = (day: number, change: Parameters<typeof night>[2] = {}) =>
  night(day, [scenario("pays")], {
    requests: 100 + day,
    cost_usd: `0.${50 + day}`,
    duration_ms: 60_000 + day,
    ...change
  })

const nights = Array.from({ length: 20 }, (_, day) => nightOf(day))
const usualOf = (...args: Parameters<typeof judge>) => judge(...args).usual

describe("the usual usage of nights", () => {
  it("is the median and the middle 80 % of earlier nights, for each figure", () => {
    assert.deepStrictEqual(usualOf(of(nights), nightOf(20)), {
      requests: { low: 102, median: 110, high: 117 },
      cost_usd: { low: 0.52, median: 0.6, high: 0.67 },
      duration_ms: { low: 60_002, median: 60_010, high: 60_017 }
    })
  })

  it("covers the last thirty compared nights, so no partial ones and no other target", () => {
    const [first] = nights
    if (first === undefined) return assert.fail()
    const fingerprint = { ...first.fingerprint, target: "https://shop.example" }
    const mixed = [
      ...Array.from({ length: 10 }, (_, day) => nightOf(day, { requests: 9 })),
      ...Array.from({ length: 30 }, (_, day) => nightOf(10 + day, { requests: 7 })),
      ...Array.from({ length: 30 }, (_, day) => nightOf(40 + day, { requests: 1, fingerprint })),
      ...Array.from({ length: 30 }, (_, day) =>
        nightOf(70 + day, { requests: 2, partial: { _tag: "Stopped", isShard: false } })
      )
    ]
    assert.deepStrictEqual(usualOf(of(mixed), nightOf(100))?.requests, { low: 7, median: 7, high: 7 })
  })

  it("excludes extra trials, and the time of nights that don't store it separately", () => {
    const confirmed = (day: number, ms: object) =>
      nightOf(day, {
        ...ms,
        requests: 900,
        cost_usd: "9",
        scenarios: [scenario("pays", 5, { confirm: { figure: "pass rate", passed: 3, scored: 3 } })]
      })
    const five = Array.from({ length: 5 }, (_, day) => confirmed(day, { confirm_ms: 20_000 }))
    assert.deepStrictEqual(usualOf(of(five), nightOf(5)), {
      requests: { low: 50, median: 50, high: 50 },
      cost_usd: { low: 0.05, median: 0.05, high: 0.05 },
      duration_ms: { low: 40_000, median: 40_002, high: 40_004 }
    })
    const older = Array.from({ length: 5 }, (_, day) => confirmed(day, {}))
    assert.hasAllKeys(usualOf(of(older), nightOf(5)), ["requests", "cost_usd"])
  })

  it("is unknown after four nights, and for a partial night", () => {
    assert.isUndefined(usualOf(of(nights.slice(0, 4)), nightOf(4)))
    assert.isUndefined(usualOf(of(nights), nightOf(20, { partial: { _tag: "Stopped", isShard: false } })))
  })
})
