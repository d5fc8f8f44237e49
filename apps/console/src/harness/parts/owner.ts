import type { Finding } from "@webagent/report/Finding"

const field = (value: object): string | undefined =>
  "owner" in value && typeof value.owner === "string" && value.owner !== "" ? value.owner : undefined

/** Who is asked about a finding: its owner, or the one that all its scenarios have. */
export const ownerOf = (finding: Finding): string | undefined => {
  const own = field(finding)
  if (own !== undefined) return own
  const owners = new Set(finding.scenarios.map(field))
  return owners.size === 1 ? [...owners][0] : undefined
}
