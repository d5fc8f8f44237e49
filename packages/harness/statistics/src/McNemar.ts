import * as Binomial from "./Binomial.ts"
import * as Discrete from "./Discrete.ts"

/** Pairs that differ: only these say anything. */
export interface Discordant {
  /** Passed before, and not now. */
  readonly lost: number
  /** Passed now, and not before. */
  readonly won: number
}

/** McNemar's exact test, one-sided: the chance of this many lost pairs, or more. */
export const worse = ({ lost, won }: Discordant): number => Discrete.atLeast(Binomial.of(lost + won, 0.5), lost)

/** McNemar's exact test, one-sided: the chance of this many won pairs, or more. */
export const better = ({ lost, won }: Discordant): number => worse({ lost: won, won: lost })
