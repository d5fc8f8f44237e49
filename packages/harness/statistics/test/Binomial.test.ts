import { assert, describe, it } from "vitest"
import * as Binomial from "../src/Binomial.ts"
import * as Discrete from "../src/Discrete.ts"
import * as Power from "../src/Power.ts"

describe("distributions of counts", () => {
  it("are exact for certain outcomes", () => {
    assert.deepStrictEqual(Binomial.of(3, 0), { least: 0, chances: [1] })
    assert.deepStrictEqual(Binomial.of(3, 1), { least: 3, chances: [1] })
    assert.strictEqual(Discrete.atLeast(Binomial.of(3, 1), 3), 1)
  })
})

describe("upper", () => {
  it("is below 5 % at 95 % after 59 trials without a failure", () => {
    assert.isBelow(Binomial.upper(0, 59, 0.95), 0.05)
    assert.isAbove(Binomial.upper(0, 58, 0.95), 0.05)
    assert.strictEqual(Binomial.upper(5, 5, 0.95), 1)
  })
})

describe("power", () => {
  it("returns the rate that four of five such nights would show as a regression", () => {
    const before = { passed: 143, of: 150 }
    assert.strictEqual(Power.critical(5, before, 1e-4), 1)
    const rate = Power.detectableRate(5, before, 1e-4) ?? Number.NaN
    assert.closeTo(Discrete.atMost(Binomial.of(5, rate), 1), 0.8, 1e-6)
    assert.isUndefined(Power.detectableRate(1, before, 1e-4))
  })

  it("with pairs equals that of McNemar's test: seven of forty must fail, and five of five are not enough", () => {
    assert.closeTo(Power.detectablePairedRate({ passed: 40, of: 40 }, 0, 0.015) ?? 0, 0.781_883, 1e-6)
    assert.isUndefined(Power.detectablePairedRate({ passed: 5, of: 5 }, 0, 0.015))
    const noisy = Power.detectablePairedRate({ passed: 40, of: 40 }, 3, 0.015) ?? 1
    assert.isBelow(noisy, 0.781_883)
  })

  it("returns a lower rate if a small drop doesn't matter", () => {
    const before = { passed: 15_000, of: 15_000 }
    const any = Power.detectableRate(500, before, 0.001) ?? 0
    const most = Power.detectableRate(500, before, 0.001, 489) ?? 0
    assert.isAbove(any, 0.98)
    assert.closeTo(Discrete.atMost(Binomial.of(500, most), 489), 0.8, 1e-6)
    assert.isUndefined(Power.detectableRate(500, before, 0.001, -1))
  })

  it("returns the chances that a test can have, the least first", () => {
    const of = Binomial.of(2, 0.5)
    assert.deepStrictEqual(
      Discrete.tails(of, "atLeast").map((chance) => Number(chance.toFixed(12))),
      [0.25, 0.75, 1]
    )
    assert.deepStrictEqual(
      Discrete.tails(of, "atMost").map((chance) => Number(chance.toFixed(12))),
      [0.25, 0.75, 1]
    )
  })
})
