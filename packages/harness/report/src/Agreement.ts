import type { Opinions, Trial } from "./Trial.ts"

/** Agreement of two judges, over the trials that both have judged. */
export interface Agreement {
  readonly judges: readonly [keyof Opinions, keyof Opinions]
  readonly trials: number
  readonly agreed: number
  /** Numbers of trials that each one considers a success. */
  readonly successes: readonly [number, number]
}

/** Fields of a report that the agreement is computed from. */
interface Judged {
  readonly results: ReadonlyArray<{ readonly trials: ReadonlyArray<Pick<Trial, "opinions">> }>
}

/** The deterministic oracle is the one to believe. */
const pairs = [
  ["agent", "oracle"],
  ["judge", "oracle"],
  ["agent", "judge"]
] as const

/** Computes how often the judges of a run's planned trials agree; empty if no trial was judged by two. */
export const of = ({ results }: Judged): ReadonlyArray<Agreement> => {
  const opinions = results.flatMap(({ trials }) => trials).flatMap(({ opinions }) => opinions ?? [])
  return pairs.flatMap(([one, other]) => {
    const both = opinions.filter((said) => said[one] !== null && said[other] !== null)
    const successes = (judge: keyof Opinions) => both.filter((said) => said[judge] === true).length
    const agreed = both.filter((said) => said[one] === said[other]).length
    return both.length === 0
      ? []
      : [{ judges: [one, other], trials: both.length, agreed, successes: [successes(one), successes(other)] }]
  })
}

/** True if the agent or the judge was wrong. Only an oracle can prove it, because agent and judge may differ. */
export const isWrong = ({ agreed, judges, trials }: Agreement): boolean => judges[1] === "oracle" && agreed < trials
