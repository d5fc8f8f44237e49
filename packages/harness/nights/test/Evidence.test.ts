import { assert, describe, it } from "@effect/vitest"
import { drawing } from "@webagent/statistics/Drawing"
import { criticalOf, evidenceOf } from "../src/Evidence.ts"
import type { TableScenario } from "../src/Table.ts"
import { scenario } from "./nights.ts"

const scatter = { sameNight: 0.2, besides: 0.1, nextNight: 0.05, prior: { failed: 0.5, passed: 9.5 } }
const none = { failed: 0, scored: 0 }

interface Counts {
  readonly failed: number
  /** Extra trials of that night: failed, of all. */
  readonly confirm?: readonly [failed: number, scored: number]
}

/** Thirty nights with a failure in each fourth, and then these, of five planned trials each. */
const after = (...last: ReadonlyArray<Counts>): TableScenario => {
  const all: ReadonlyArray<Counts> = [
    ...Array.from({ length: 30 }, (_, day) => ({ failed: day % 4 === 0 ? 1 : 0 })),
    ...last
  ]
  const isBaseline = all.map((_, index) => index < all.length - 1)
  const line = { values: new Float64Array(all.length), isBaseline }
  return {
    scenario: scenario("often"),
    failed: Float64Array.from(all, ({ failed }) => failed),
    scored: new Float64Array(all.length).fill(5),
    confirmFailed: Float64Array.from(all, ({ confirm }) => confirm?.[0] ?? 0),
    confirmScored: Float64Array.from(all, ({ confirm }) => confirm?.[1] ?? 0),
    isBaseline,
    duration: line,
    deviation: new Float64Array(all.length),
    cost: line
  }
}

const of = (...last: ReadonlyArray<Counts>) => evidenceOf(after(...last), scatter, 1)
const enough = 20_000

describe("the evidence for more failures", () => {
  it("grows with each failure, and is missing if tonight fails no more than usual", () => {
    const ratios = [0, 1, 2, 3, 4, 5].map((failed) => of({ failed })(none).ratio)
    assert.strictEqual(ratios[0], 0)
    assert.deepStrictEqual(
      ratios.toSorted((one, other) => one - other),
      ratios
    )
    assert.isBelow(ratios[1] ?? 9, 1)
    assert.isAbove(ratios[5] ?? 0, enough)
    assert.strictEqual(of({ failed: 3 }, { failed: 3 }, { failed: 0 })(none).ratio, 0)
  })

  it("rarely gets high if nothing changed, however often it is checked", () => {
    const next = drawing(5)
    const draw = () => (next() < 0.053 ? 1 : 0)
    let reached = 0
    const runs = 3000
    for (let run = 0; run < runs; run++) {
      const nights: Array<Counts> = []
      let most = 0
      for (let night = 0; night < 3; night++) {
        const failed = draw() + draw() + draw() + draw() + draw()
        const confirm = { failed: 0, scored: 0 }
        const evidence = of(...nights, { failed })
        while (confirm.scored < 20) {
          most = Math.max(most, evidence(confirm).ratio)
          if (evidence(confirm).ratio < 0.25) break
          confirm.failed += draw()
          confirm.scored++
        }
        nights.push({ failed, confirm: [confirm.failed, confirm.scored] })
      }
      if (most >= 30) reached++
    }
    // at most one in thirty for each night
    assert.isAtMost(reached / runs, 3 / 30)
    assert.isAbove(reached, 0)
  })

  it("shows a drop from 95 to 50 % with few extra trials", () => {
    const next = drawing(7)
    const runs = 300
    let [shown, trials] = [0, 0]
    for (let run = 0; run < runs; run++) {
      const evidence = of({ failed: 2 })
      const confirm = { failed: 0, scored: 0 }
      while (confirm.scored < 40 && evidence(confirm).ratio < enough) {
        confirm.failed += next() < 0.5 ? 1 : 0
        confirm.scored++
      }
      if (evidence(confirm).ratio >= enough) shown++
      trials += confirm.scored
    }
    assert.isAbove(shown / runs, 0.9)
    assert.isBelow(trials / runs, 25)
  })

  it("is carried from night to night with earlier extra trials, and has a start", () => {
    const alone = of({ failed: 2 })(none)
    const second = of({ failed: 2 }, { failed: 2 })(none)
    const confirmed = of({ failed: 2, confirm: [4, 8] }, { failed: 2 })(none)
    assert.isAbove(second.ratio, alone.ratio)
    assert.isAbove(confirmed.ratio, second.ratio)
    assert.deepStrictEqual([alone.spell?.window, confirmed.spell?.window, confirmed.spell?.from], [1, 2, 30])
    // planned trials alone are shown
    assert.deepStrictEqual([confirmed.spell?.failed, confirmed.spell?.scored], [4, 10])
  })

  it("of an earlier night is limited, so that a fixed cause makes no regression", () => {
    const gone = of({ failed: 5, confirm: [20, 20] }, { failed: 1 })(none)
    assert.isBelow(gone.ratio, enough)
  })

  it("does not add up the extra trials of many nights with a drifting rate", () => {
    const night = { failed: 1, confirm: [6, 40] } as const
    const confirm = { failed: 6, scored: 40 }
    assert.isBelow(of(night, night, night, night, night, night, night, { failed: 1 })(confirm).ratio, enough)
  })

  it("needs as many failures as the smallest detectable drop implies", () => {
    const { before } = of({ failed: 5 })(none).spell ?? {}
    assert.deepStrictEqual(before, { failed: 8, scored: 150, nights: 30 })
    const rate = { failed: 2, passed: 38 }
    const critical = criticalOf(rate, 1, 5, 1 / 200)
    assert.strictEqual(critical, 4)
    assert.isUndefined(criticalOf(rate, 1, 5, 1e-9))
    assert.isAtMost((criticalOf(rate, 3, 5, 1 / 200) ?? 15) / 3, 4)
  })
})
