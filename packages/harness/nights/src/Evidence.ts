import * as BetaBinomial from "@webagent/statistics/BetaBinomial"
import { predicted, type Rate, rateOf, type Scatter } from "./Counts.ts"
import { least } from "./Past.ts"
import type { TableScenario } from "./Table.ts"

/** Failures among scored trials. */
export interface Failures {
  readonly failed: number
  readonly scored: number
}

/** Nights from one in which a scenario began to fail more, as it seems, until tonight. */
export interface Spell {
  readonly window: number
  /** The first of them, among all nights. */
  readonly from: number
  /** Planned trials of all these nights. */
  readonly failed: number
  readonly scored: number
  readonly before: Rate
  /** Likelihood of the trials of these nights at a higher failure rate, divided by that at the usual one. */
  readonly ratio: number
}

/** Evidence of the last nights about a scenario's failure rate. */
export interface Evidence {
  /**
   * Likelihood of the results if the scenario fails more since one of these nights, which is unknown, divided by that if
   * nothing changed.
   */
  readonly ratio: number
  /** The most likely nights; undefined where tonight's failures are not more than usual. */
  readonly spell: Spell | undefined
}

// A change is looked for in this many nights: half of the evidence is about tonight, and the rest about all others alike.
// Eight nights with up to forty extra trials each would report a rate that only drifts, night after night.
const longest = 3
// the new failure rate is likely neither near 0 nor near 1
const newRate = 2
/** The most that a night before tonight counts, as a logarithm. */
const mostOfNight = Math.log(30)
const weightOf = (window: number) => (window === 1 ? 1 / 2 : 1 / 2 / (longest - 1))

/** Logarithm of the likelihood of a night's trials at the new rate, which `earlier` nights show, divided by that at the usual one. */
const logRatio = (
  { failed, passed }: { readonly failed: number; readonly passed: number },
  earlier: Failures,
  usual: { readonly failed: number; readonly passed: number }
) =>
  BetaBinomial.logChance(failed, passed, newRate + earlier.failed, newRate + earlier.scored - earlier.failed) -
  BetaBinomial.logChance(failed, passed, usual.failed, usual.passed)

/**
 * The evidence against "nothing changed", given the extra trials of tonight so far: a likelihood ratio, averaged over
 * the unknown new failure rate (any between 0 and 1) and the unknown first night. If nothing changed, the chance that it
 * ever reaches a height is at most one divided by it (Ville's inequality). So a test may look after every trial, carry
 * its evidence from night to night, and stop whenever it likes.
 */
export const evidenceOf = (one: TableScenario, scatter: Scatter, factor: number): ((confirm: Failures) => Evidence) => {
  const last = one.failed.length - 1
  const at = (of: Float64Array, index: number) => of[index] ?? 0
  const planned = { failed: at(one.failed, last), scored: at(one.scored, last) }
  const ran = Array.from(one.scored.keys()).filter((index) => at(one.scored, index) > 0)
  // it began to fail in a night with a failure, if it did
  const isFirst = (night: number) => night === last || at(one.failed, night) + at(one.confirmFailed, night) > 0
  const spells = ran.slice(-longest).flatMap((from, index, all) => {
    const before = rateOf(one, last - from + 1)
    if (!isFirst(from) || before.nights < least) return []
    const usual = predicted(before, scatter, scatter.sameNight, 1)
    const spell = { window: all.length - index, from, before, ...planned }
    const earlier = { failed: 0, scored: 0, log: 0 }
    for (const night of all.slice(index, -1)) {
      const failed = at(one.failed, night) + at(one.confirmFailed, night)
      const passed = at(one.scored, night) + at(one.confirmScored, night) - failed
      // a cause that has gone says little of tonight, however much failed by it
      earlier.log += Math.min(mostOfNight, logRatio({ failed, passed }, earlier, usual))
      earlier.failed += failed
      earlier.scored += failed + passed
      spell.failed += at(one.failed, night)
      spell.scored += at(one.scored, night)
    }
    return [{ spell, earlier, tonight: predicted(before, scatter, scatter.besides, factor) }]
  })
  return (confirm) => {
    const failed = planned.failed + confirm.failed
    const scored = planned.scored + confirm.scored
    const weighed = spells.map(({ earlier, spell, tonight }): Spell => {
      const [fails, all] = [earlier.failed + failed, earlier.scored + scored]
      const share = spell.before.failed / spell.before.scored
      if (failed <= share * scored || fails <= share * all) return { ...spell, ratio: 0 }
      const log = earlier.log + logRatio({ failed, passed: scored - failed }, earlier, tonight)
      return { ...spell, ratio: weightOf(spell.window) * Math.exp(log) }
    })
    const best = weighed.toSorted((one, other) => other.ratio - one.ratio)[0]
    return {
      ratio: weighed.reduce((total, { ratio }) => total + ratio, 0),
      spell: best?.ratio === 0 ? undefined : best
    }
  }
}

/** The least number of failures in some equal nights that would be enough evidence alone; undefined if all would not be. */
export const criticalOf = (
  rate: { readonly failed: number; readonly passed: number },
  window: number,
  scored: number,
  level: number
): number | undefined => {
  for (let failed = 1; failed <= window * scored; failed++) {
    const each = failed / window
    const same = window * BetaBinomial.logChance(each, scored - each, rate.failed, rate.passed)
    const changed = BetaBinomial.logChance(failed, window * scored - failed, newRate, newRate)
    if (weightOf(window) * Math.exp(changed - same) * level >= 1) return failed
  }
  return undefined
}
