import * as Beta from "./Beta.ts"
import * as Discrete from "./Discrete.ts"
import { logChoose } from "./Gamma.ts"

/** The distribution of successes among `trials`, each with this chance of success. */
export const of = (trials: number, chance: number): Discrete.Discrete => {
  if (chance <= 0) return Discrete.certain(0)
  if (chance >= 1) return Discrete.certain(trials)
  return Discrete.ofLogarithms(
    0,
    Array.from(
      { length: trials + 1 },
      (_, count) => logChoose(trials, count) + count * Math.log(chance) + (trials - count) * Math.log1p(-chance)
    )
  )
}

/** Clopper and Pearson's upper bound of the chance of success, one-sided, at this confidence. */
export const upper = (successes: number, trials: number, confidence: number): number =>
  successes >= trials ? 1 : Beta.quantile(confidence, successes + 1, trials - successes)
