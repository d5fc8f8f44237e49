import type { Acknowledgement } from "@webagent/report/Acknowledgement"
import type { Finding } from "@webagent/report/Finding"

const mostNamed = 3

/** Names who sees to a finding: `checkout`, or `checkout, ada`; undefined if no scenario has an owner. */
export const owners = ({ kind, scenarios }: Finding): string | undefined => {
  const { contributors = [] } = "comparison" in kind ? kind.comparison : {}
  // a whole run that is worse is for those whose scenarios added most
  const affected = scenarios.length === 0 ? contributors : scenarios
  const all = [...new Set(affected.flatMap(({ owner }) => owner ?? []))]
  const more = all.length - mostNamed
  return all.length === 0 ? undefined : `${all.slice(0, mostNamed).join(", ")}${more > 0 ? `, and ${more} more` : ""}`
}

const text = ({ at, note, owner, until }: Acknowledgement): string =>
  `${owner} has been working on it since ${at.slice(0, 10)}${until === undefined ? "" : `, until ${until}`}${note === undefined ? "" : `: ${note}`}`

/** Describes who is working on a finding: `ada has been working on it since 2026-11-28`; undefined if it isn't acknowledged. */
export const acknowledged = ({ acknowledged: ofRun, scenarios }: Finding): string | undefined => {
  const all = [ofRun, ...scenarios.map((scenario) => scenario.acknowledged)].flatMap((one) => one ?? [])
  const [first] = all
  if (first === undefined) return undefined
  // an acknowledgement need not be for all of them
  const part = scenarios.length > all.length ? ` (${all.length} of ${scenarios.length} scenarios)` : ""
  return `${text(first)}${part}`
}
