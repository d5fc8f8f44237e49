import * as Money from "@webagent/cli/Money"
import type { InterruptedTrials } from "./RunReport.ts"

/** A run, or a shard of one, with what was interrupted each time that it was killed. */
interface Killed {
  readonly resumed?: ReadonlyArray<{ readonly cut?: InterruptedTrials }>
}

/** Those of a run and of its shards, over each time that it was killed; undefined where none may have cost. */
export const of = ({ header, shards = [] }: { readonly header: Killed; readonly shards?: ReadonlyArray<Killed> }) =>
  together([header, ...shards].flatMap(({ resumed = [] }) => resumed.flatMap(({ cut }) => cut ?? [])))

/** All of them as one; undefined where none may have cost. */
export const together = (all: ReadonlyArray<InterruptedTrials>): InterruptedTrials | undefined => {
  const charges = all.map(({ most_usd }) => most_usd)
  const most_usd = charges.includes(null) ? null : Money.sum(charges.filter((charge) => charge !== null))
  return most_usd === "0" ? undefined : { trials: all.reduce((total, { trials }) => total + trials, 0), most_usd }
}

/** Amount reserved for them from the cost limit, in USD. */
export const chargedTo = (header: Killed): string => of({ header })?.most_usd ?? "0"
