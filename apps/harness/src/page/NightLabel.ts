import type { Night } from "@webagent/nights/Night"

type Begun = Pick<Night, "startedAt">

// a day, a minute, a second
const lengths = [10, 16, 19]

/** When each of some nights began: the day where that tells them apart, else also the time of day. */
export const labelOf = (nights: ReadonlyArray<Begun>, least = 10): ((night: Begun) => string) => {
  const length = lengths.find(
    (length) =>
      length >= least && new Set(nights.map(({ startedAt }) => startedAt.slice(0, length))).size === nights.length
  )
  return ({ startedAt }) => startedAt.slice(0, length ?? 19).replace("T", " ")
}
