import type { Finding } from "@webagent/report/Finding"
import type { RunReport } from "@webagent/report/RunReport"
import { causesOf } from "./Cause.ts"
import * as Outages from "./Outages.ts"
import type { Single } from "./ScenarioFindings.ts"

type Key = Outages.Outage | string | undefined

/** Key of a finding about one scenario: two with the same key become one. */
const keyOf = ({ finding: { kind, scenarios }, result }: Single, outages: ReadonlyArray<Outages.Outage>): Key => {
  // a quarantine is of one scenario alone
  if (result.quarantine !== undefined) return undefined
  switch (kind._tag) {
    case "Leak":
    case "AbandonedRun":
      return kind._tag
    case "BrokenInvariant":
      return `invariant ${kind.invariant}`
    case "Unreachable":
      return outages.find(({ results, trials }) => trials > 0 && results.has(result))
    case "Flaky":
      // one that also passes less often than before stands by itself
      return scenarios[0]?.comparison === undefined ? kind.cause?.key : undefined
    case "Failed":
    case "Unscored":
      return kind.cause?.key
    default:
      return undefined
  }
}

/** Puts findings of one cause, of one outage or of one broken rule together, where the first of them stood. */
export const grouped = (
  report: RunReport,
  singles: ReadonlyArray<Single>,
  all: ReadonlyArray<Finding>
): ReadonlyArray<Finding> => {
  const outages = Outages.of(report)
  const causes = causesOf(report)
  const singleOf = new Map(singles.map((single) => [single.finding, single]))
  const groups = Map.groupBy(all, (finding): Key | Finding => {
    const single = singleOf.get(finding)
    if (single !== undefined) return keyOf(single, outages) ?? finding
    const { kind } = finding
    return (
      (kind._tag === "ServiceAway" ? outages.find(({ measured }) => measured === kind.outage) : undefined) ?? finding
    )
  })
  return [...groups].flatMap(([key, group]): ReadonlyArray<Finding> => {
    const [first] = group
    if (first === undefined) return []
    const results = new Set(group.flatMap((finding) => singleOf.get(finding)?.result ?? []))
    const cause = typeof key === "string" ? causes.find((cause) => cause.key === key) : undefined
    const { kind } = first
    const outage = outages.find((one) => one === key)
    const merged = (): Finding["kind"] => {
      if (kind._tag === "ServiceAway")
        return outage === undefined || outage.trials + outage.reruns === 0
          ? kind
          : { ...kind, toll: Outages.tollOf(outage) }
      if (kind._tag === "Unreachable") return { ...kind, outage: outage === undefined ? null : Outages.tollOf(outage) }
      if (cause === undefined || !("cause" in kind) || kind._tag === "Unusual") return kind
      return {
        ...kind,
        // one scenario has its own values
        cause: { key: cause.key, facts: (group.length === 1 ? kind.cause : null)?.facts ?? cause.facts },
        trials: cause.scenarios.reduce((sum, one) => sum + (results.has(one.result) ? one.trials.length : 0), 0)
      }
    }
    return [{ ...first, kind: merged(), scenarios: group.flatMap(({ scenarios }) => scenarios) }]
  })
}
