import { keyOf, type Night } from "./Night.ts"
import { scenariosOf } from "./Past.ts"
import type { ReleaseProposal } from "@webagent/report/NightJudgement"
import * as Binomial from "@webagent/statistics/Binomial"
import type { Entry, Quarantine } from "./Quarantine.ts"

const confidence = 0.95

/** Trials that passed, one after the other until now, since a scenario was quarantined. */
const cleanOf = ({ scenario, since, suite }: Entry, nights: ReadonlyArray<Night>): number => {
  let clean = 0
  for (const night of nights.toReversed()) {
    if (night.startedAt.slice(0, 10) < since) break
    const its = scenariosOf(night).get(keyOf(suite, scenario))
    if (its === undefined) continue
    if (its.passed < its.scored || its.leaks + its.breaches > 0) break
    clean += its.passed
  }
  return clean
}

/** Which scenarios may be let go: `nights` are oldest first and end with tonight; those of other targets do not count. */
export const proposals = (
  { cleanTrials, entries }: Quarantine,
  nights: ReadonlyArray<Night>
): ReadonlyArray<ReleaseProposal> => {
  const target = nights.at(-1)?.fingerprint.target
  const here = nights.filter(({ fingerprint }) => fingerprint.target === target)
  return entries.flatMap((entry) => {
    const clean = cleanOf(entry, here)
    if (clean < cleanTrials) return []
    const failsBelow = Binomial.upper(0, clean, confidence)
    return [{ suite: entry.suite, scenario: entry.scenario, owner: entry.owner, clean, failsBelow }]
  })
}
