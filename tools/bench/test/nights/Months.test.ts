import { assert, describe, it } from "vitest"
import { againstLastNight, mannWhitney, onRequests, ours } from "../../src/nights/Gates.ts"
import { judgeMonths } from "../../src/nights/Months.ts"
import { markdown } from "../../src/nights/NightsReport.ts"
import { world, type WorldOptions } from "../../src/nights/World.ts"

const options: WorldOptions = { seed: 3, scenarios: 20, trials: 5, nightly: 0.03, change: "none", from: Infinity }

describe("nights", () => {
  it("are the same for the same seed, and others for another", () => {
    const [one, same, other] = [world(options), world(options), world({ ...options, seed: 4 })]
    const first = one()
    assert.deepStrictEqual(first, same())
    assert.notDeepEqual(one().night.scenarios, first.night.scenarios)
    assert.notDeepEqual(other().night.scenarios, first.night.scenarios)
  })

  it("become worse when they are told to", () => {
    const next = world({ ...options, change: "one scenario", from: 1 })
    const passed = Array.from({ length: 41 }, () => next().night.scenarios[0]?.passed ?? 0)
    assert.isBelow(passed.slice(1).reduce((sum, count) => sum + count, 0) / 200, 0.65)
  })
})

describe("gates", () => {
  it("know a rank test by its published value", () => {
    // nine and nine: seven of the first are beyond all others, two beyond three and six, so U is 63 + 9
    const [one, other] = [
      [10, 11, 12, 13, 14, 15, 16, 3.5, 6.5],
      [1, 2, 3, 4, 5, 6, 7, 8, 9]
    ]
    assert.closeTo(mannWhitney(one ?? [], other ?? []), (72 - 40.5) / Math.sqrt((81 * 19) / 12), 1e-12)
  })

  it("find what is far worse at once", () => {
    for (const make of [ours, againstLastNight]) {
      const next = world({ ...options, change: "leaking", from: 8 })
      const gate = make()
      for (let night = 0; night < 8; night++) gate.remember(next())
      const found = Array.from({ length: 10 }, () => gate.judge(next()).has("leaking"))
      assert.isTrue(found.includes(true))
    }
    assert.strictEqual(onRequests().judge(world(options)()).size, 0)
  })
})

describe("months", () => {
  it("are judged by every gate, and the tables say how", () => {
    const few = { months: 1, seed: 1, scenarios: 4, trials: 2, nightly: 0.03, before: 5 }
    const gates = judgeMonths(few, () => {})
    assert.deepStrictEqual(
      gates.map(({ gate }) => gate),
      ["ours", "10 % against last night", "the same, each scenario too", "Mann-Whitney on requests"]
    )
    const fingerprint = {
      cpu: "x",
      cores: 2,
      memory_GB: 1,
      node: "24",
      platform: "linux-x64",
      loadBefore: 0,
      loadAfter: 0
    }
    const text = markdown({
      bench: "nights",
      date: "2026-11-21",
      fingerprint,
      options: few,
      gates,
      young: { options: few, gates },
      detectable: []
    })
    assert.match(text, /^\| \*\*ours\*\* \| \d/mu)
    assert.include(text, "6 months of 30 nights in virtual time, with 5 nights before each")
  })
})
