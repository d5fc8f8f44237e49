import type { ScenarioName } from "@webagent/report/Comparison"
import { type AffectedScenario, type Finding, type FindingKind, isOfRun } from "@webagent/report/Finding"
import { ownerOf, type RunReport } from "@webagent/report/RunReport"

const keyOf = ({ name, suite }: ScenarioName) => JSON.stringify([suite, name])

/** Removes a change of code that the first scenario of a finding also has. */
const withoutRepeats = ([first, ...others]: ReadonlyArray<AffectedScenario>): ReadonlyArray<AffectedScenario> => {
  if (first === undefined) return []
  const key = JSON.stringify(first.onset?.change)
  return [
    first,
    ...others.map((scenario) => {
      const { onset } = scenario
      if (onset?.change === undefined || JSON.stringify(onset.change) !== key) return scenario
      const { change: _, ...rest } = onset
      return { ...scenario, onset: rest }
    })
  ]
}

/** Adds to findings who sees to each scenario, and who is already working on it. */
export const withPeople = (
  { acknowledged, acknowledgedKinds = {}, results }: RunReport,
  findings: ReadonlyArray<Finding>
): ReadonlyArray<Finding> => {
  const byName = new Map(results.map((result) => [keyOf(result), result]))
  const ownedBy = (scenario: ScenarioName) => {
    const result = byName.get(keyOf(scenario))
    const owner = result && ownerOf(result)
    return owner === undefined ? {} : { owner }
  }
  const withOwners = (kind: FindingKind): FindingKind => {
    if (!("comparison" in kind) || kind.comparison?.contributors === undefined) return kind
    const contributors = kind.comparison.contributors.map((one) => ({ ...one, ...ownedBy(one) }))
    return { ...kind, comparison: { ...kind.comparison, contributors } }
  }
  const ofRun = ({ kind, scenarios, severity }: Finding) => {
    if (!isOfRun({ kind, scenarios }) || severity !== "error") return {}
    const one = kind._tag === "Regressed" ? acknowledged : acknowledgedKinds[kind._tag]
    return one === undefined ? {} : { acknowledged: one }
  }
  return findings.map((finding) => ({
    ...finding,
    kind: withOwners(finding.kind),
    ...ofRun(finding),
    scenarios: withoutRepeats(
      finding.scenarios.map((scenario) => {
        const acknowledgement = byName.get(keyOf(scenario))?.acknowledged
        return {
          ...scenario,
          ...ownedBy(scenario),
          ...(acknowledgement === undefined ? {} : { acknowledged: acknowledgement })
        }
      })
    )
  }))
}
