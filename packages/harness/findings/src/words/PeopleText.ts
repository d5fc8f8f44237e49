import type { Acknowledgement } from "@webagent/report/Acknowledgement"
import type { Finding } from "@webagent/report/Finding"
import { onsetOf } from "../Order.ts"
import * as ChangeText from "./ChangeText.ts"
import { listed } from "./Names.ts"

/** Names the owners of a finding's scenarios: `checkout, ada`; undefined if none has an owner. */
export const owners = ({ kind, scenarios }: Finding): string | undefined => {
  const { contributors = [] } = "comparison" in kind ? kind.comparison : {}
  // a whole run that is worse is for those whose scenarios added most
  const affected = scenarios.length === 0 ? contributors : scenarios
  const all = [...new Set(affected.flatMap(({ owner }) => owner ?? []))]
  return all.length === 0 ? undefined : listed(all)
}

/**
 * Names who sees to a finding: its scenarios' owners, the operator of the service if it was away, and that of the CI if a
 * shard sent no report; undefined if it isn't known.
 */
export const owner = (finding: Finding): string | undefined => {
  const { kind } = finding
  if (kind._tag === "ServiceAway") return "service operator"
  if (kind._tag === "Incomplete" && kind.why._tag === "LostShards") return "CI operator"
  return kind._tag === "Unreachable" ? undefined : owners(finding)
}

/** Names who sees to a finding, and the service's team first if only the service changed: `the team that deployed service 1.5 (scenarios: ada)`. */
export const ownerText = (finding: Finding): string | undefined => {
  const text = owner(finding)
  const isOfSuites = text !== undefined && text === owners(finding)
  const service = isOfSuites ? ChangeText.suspects(onsetOf(finding))?.service : undefined
  return service === undefined ? text : `the team that deployed service ${service.is} (scenarios: ${text})`
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
