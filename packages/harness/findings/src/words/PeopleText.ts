import type { Acknowledgement } from "@webagent/report/Acknowledgement"
import type { Finding } from "@webagent/report/Finding"
import { listed } from "./Names.ts"

/** Names who sees to a finding: `checkout, ada`, and the CI operator if a shard wrote no report; undefined if none has an owner. */
export const owners = ({ kind, scenarios }: Finding): string | undefined => {
  if (kind._tag === "Incomplete" && kind.why._tag === "LostShards") return "CI operator"
  const { contributors = [] } = "comparison" in kind ? kind.comparison : {}
  // a whole run that is worse is for those whose scenarios added most
  const affected = scenarios.length === 0 ? contributors : scenarios
  const all = [...new Set(affected.flatMap(({ owner }) => owner ?? []))]
  return all.length === 0 ? undefined : listed(all)
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
