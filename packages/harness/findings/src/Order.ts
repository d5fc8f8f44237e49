import type { Finding } from "@webagent/report/Finding"
import * as Onset from "@webagent/report/Onset"

const tags: ReadonlyArray<Finding["kind"]["_tag"]> = [
  "ServiceAway",
  "Failed",
  "LimitExceeded",
  "BrokenInvariant",
  "Leak",
  "AbandonedRun",
  "Regressed",
  "Flaky",
  "Unreachable",
  "Unscored",
  "QuarantineExpired",
  "CostUnknown",
  "RunLimitExceeded",
  "Incomplete"
]

/** Rank of an error: the worst has the lowest. */
const rankOf = ({ kind, scenarios }: Finding): number => {
  if (kind._tag === "Failed") return tags.indexOf("Failed") - (kind.claimedSuccess ? 0.5 : 0)
  // a flaky scenario that passes less often than before is as bad as one that failed
  if (kind._tag === "Flaky" && scenarios.some(({ comparison }) => comparison !== undefined))
    return tags.indexOf("Failed")
  if (kind._tag === "Incomplete" && kind.why._tag === "Stopped") return tags.length
  return tags.indexOf(kind._tag)
}

/** Since when a finding has been so. */
export const onsetOf = ({ onset, scenarios: [first] }: Finding): Onset.Onset | undefined => onset ?? first?.onset

/** Orders errors: the worst first, and of those the newest first. */
export const worstFirst = (one: Finding, other: Finding): number =>
  rankOf(one) - rankOf(other) || Onset.newestFirst(onsetOf(one), onsetOf(other))

const isOutage = ({ kind }: Finding) => kind._tag === "ServiceAway"

/** Orders errors for a reader: an outage, then those that began in this run, then older ones. */
export const newsFirst = (one: Finding, other: Finding): number =>
  Number(isOutage(other)) - Number(isOutage(one)) || Onset.tonightFirst(onsetOf(one), onsetOf(other))
