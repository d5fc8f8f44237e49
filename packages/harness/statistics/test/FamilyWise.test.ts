import { assert, describe, it } from "vitest"
import * as Binomial from "../src/Binomial.ts"
import * as Discrete from "../src/Discrete.ts"
import * as FamilyWise from "../src/FamilyWise.ts"
import { drawing } from "../src/Drawing.ts"

/** Holm: each p-value, adjusted so that a false alarm anywhere in the family is as rare as any one of them says. */
const holm = (chances: ReadonlyArray<number>): ReadonlyArray<number> => {
  const order = chances.map((_, index) => index).toSorted((a, b) => (chances[a] ?? 1) - (chances[b] ?? 1))
  const adjusted = chances.map(() => 1)
  let least = 0
  for (const [rank, index] of order.entries()) {
    least = Math.max(least, Math.min(1, (chances.length - rank) * (chances[index] ?? 1)))
    adjusted[index] = least
  }
  return adjusted
}

/** The p-values of each number of failures or more, among `trials` that fail with this chance. */
const ladder = (trials: number, chance: number) => {
  const distribution = Binomial.of(trials, chance)
  return Array.from({ length: trials + 1 }, (_, failed) => Discrete.atLeast(distribution, failed)).toReversed()
}

describe("discrete", () => {
  it("equals Holm's method if every member can have the same chances", () => {
    const chances = [0.01, 0.04, 0.03, 0.005]
    const members = chances.map((chance) => ({ chance, attainable: [chances.toSorted((a, b) => a - b)] }))
    const adjusted = FamilyWise.discrete(members)
    assert.isBelow(Math.abs((adjusted[3] ?? 1) - 0.02), 1e-12)
    assert.isBelow(Math.abs((adjusted[0] ?? 1) - 0.03), 1e-12)
  })

  it("ignores members that can never be significant", () => {
    const silent = { chance: 1, attainable: [[0.2, 1]] }
    const [adjusted] = FamilyWise.discrete([
      { chance: 0.001, attainable: [[0.001, 0.1, 1]] },
      ...Array.from({ length: 99 }, () => silent)
    ])
    assert.strictEqual(adjusted, 0.001)
  })

  it("counts each way in which a member is tested", () => {
    const [adjusted] = FamilyWise.discrete([
      {
        chance: 0.001,
        attainable: [
          [0.001, 0.1, 1],
          [0.0005, 0.1, 1]
        ]
      }
    ])
    assert.isBelow(Math.abs((adjusted ?? 1) - 0.0015), 1e-12)
  })

  it("limits false alarms in the family as requested, and finds more than Holm", () => {
    const draw = drawing(5)
    const chances = Array.from({ length: 56 }, (_, index) => (index % 4 === 0 ? 0.1 : 0.01))
    const ladders = chances.map((chance) => ladder(5, chance))
    let [alarms, found, foundByHolm] = [0, 0, 0]
    const rounds = 4000
    for (let round = 0; round < rounds; round++) {
      const members = ladders.map((attainable, index) => {
        // the first is worse in every other round
        const chance = index === 1 && round % 2 === 1 ? 0.4 : (chances[index] ?? 0)
        const failed = Array.from({ length: 5 }, () => draw() < chance).filter(Boolean).length
        return { chance: attainable[5 - failed] ?? 1, attainable: [attainable] }
      })
      const adjusted = FamilyWise.discrete(members)
      if (round % 2 === 0 && adjusted.some((chance) => chance <= 0.05)) alarms++
      if (round % 2 === 1 && (adjusted[1] ?? 1) <= 0.05) found++
      if (round % 2 === 1 && (holm(members.map(({ chance }) => chance))[1] ?? 1) <= 0.05) foundByHolm++
    }
    assert.isBelow(alarms / (rounds / 2), 0.055)
    assert.isAbove(found, foundByHolm)
  })
})
