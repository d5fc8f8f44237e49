import * as Schema from "effect/Schema"
import type { Opinions, Trial } from "./Trial.ts"

const Rater = Schema.Literals(["oracle", "agent", "judge"])

/** How often two judges of trials agree, over the trials that both have judged. */
export const Pair = Schema.Struct({
  one: Rater,
  other: Rater,
  /** Trials that both call a success, that only the one or only the other does, and that neither does. */
  both: Schema.Int,
  onlyOne: Schema.Int,
  onlyOther: Schema.Int,
  neither: Schema.Int,
  /** The share of trials with the same judgement from both. */
  agreement: Schema.Number,
  /** Cohen's kappa: 0 is what chance gives, 1 is always the same; null where chance alone gives that. */
  kappa: Schema.NullOr(Schema.Number)
})
export type Pair = typeof Pair.Type

/** How those who judge trials agree. The deterministic oracle is the one to believe. */
export const Agreement = Schema.Struct({
  pairs: Schema.Array(Pair),
  /** How much more often the agent claims success than the oracle finds it, over the trials that both have judged. */
  inflation: Schema.optionalKey(
    Schema.Struct({
      trials: Schema.Int,
      /** The share of successes by the agent's word, and by the oracle's. */
      claimed: Schema.Number,
      found: Schema.Number,
      /** `claimed - found`. */
      by: Schema.Number
    })
  )
})
export type Agreement = typeof Agreement.Type

const pairOf = (trials: ReadonlyArray<Opinions>, one: Pair["one"], other: Pair["other"]): ReadonlyArray<Pair> => {
  const said = trials.filter((opinions) => opinions[one] !== null && opinions[other] !== null)
  const count = said.length
  if (count === 0) return []
  const of = (first: boolean, second: boolean) =>
    said.filter((opinions) => opinions[one] === first && opinions[other] === second).length
  const [both, onlyOne, onlyOther, neither] = [of(true, true), of(true, false), of(false, true), of(false, false)]
  const agreement = (both + neither) / count
  const chance = ((both + onlyOne) * (both + onlyOther) + (neither + onlyOther) * (neither + onlyOne)) / count ** 2
  const kappa = chance === 1 ? null : (agreement - chance) / (1 - chance)
  return [{ one, other, both, onlyOne, onlyOther, neither, agreement, kappa }]
}

/** How those who judge trials agree; nothing where no trial was judged by two. */
export const of = (trials: ReadonlyArray<Trial>): Agreement | undefined => {
  const opinions = trials.flatMap(({ opinions }) => opinions ?? [])
  const agent = pairOf(opinions, "oracle", "agent")
  const pairs = [...agent, ...pairOf(opinions, "oracle", "judge"), ...pairOf(opinions, "agent", "judge")]
  if (pairs.length === 0) return undefined
  const [told] = agent
  if (told === undefined) return { pairs }
  const count = told.both + told.onlyOne + told.onlyOther + told.neither
  const claimed = (told.both + told.onlyOther) / count
  const found = (told.both + told.onlyOne) / count
  return { pairs, inflation: { trials: count, claimed, found, by: claimed - found } }
}
