import * as Schema from "effect/Schema"
import * as Money from "./Money.ts"

/** What trials cost that ran when their run was killed, and that no trial of the report is. Amounts in USD. */
export const CutCost = Schema.Struct({
  trials: Schema.Int,
  /** What is known of it, as an exact decimal: they cost this at least. */
  known_usd: Schema.String,
  /** What they may have cost at most, as an exact decimal; null where nothing bounds it. */
  most_usd: Schema.NullOr(Schema.String)
})

/** What trials cost that ran when their run was killed. */
export type CutCost = typeof CutCost.Type

/** It in words: `2 trials that were cut cost nobody knows what: 0.02 USD at least, up to 0.50 USD`. */
export const text = ({ known_usd, most_usd, trials }: CutCost): string => {
  if (known_usd === most_usd)
    return `${trials} trial${trials === 1 ? "" : "s"} that ${trials === 1 ? "was" : "were"} cut cost ${Money.shown(known_usd)}`
  const least = known_usd === "0" ? "" : `${Money.shown(known_usd)} at least, `
  const most = most_usd === null ? "with no bound" : `up to ${Money.shown(most_usd)}`
  return `${trials} trial${trials === 1 ? "" : "s"} that ${trials === 1 ? "was" : "were"} cut cost nobody knows what: ${least}${most}`
}
