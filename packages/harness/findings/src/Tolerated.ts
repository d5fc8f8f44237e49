import { defined } from "@webagent/cli/Defined"
import type { Comparison } from "@webagent/report/Comparison"
import type { Finding, FindingKind } from "@webagent/report/Finding"
import { isBad, isUncleanOnly, type RunReport, type ScenarioResult } from "@webagent/report/RunReport"
import * as Onset from "@webagent/report/Onset"
import { isCovered, isExplained, isOf, passRateOf } from "./Tolerance.ts"

const isPartlyScored = ({ trials, verdict }: ScenarioResult) =>
  verdict !== "infra" &&
  verdict !== "unscored" &&
  trials.some(({ verdict }) => verdict === "infra" || verdict === "unscored")

/** Some trials of it had failed in the earlier runs that it was compared with. */
const hasFailedBefore = (result: ScenarioResult, { judgement }: RunReport): boolean => {
  const before = passRateOf(result, judgement)?.before
  return before?._tag === "Rate" && before.passed < before.scored
}

const note = (kind: FindingKind, results: ReadonlyArray<ScenarioResult>): ReadonlyArray<Finding> =>
  results.length === 0
    ? []
    : [
        {
          kind,
          severity: "note",
          scenarios: results
            .toSorted((one, other) => Onset.newestFirst(one.onset?.trials, other.onset?.trials))
            .map(({ name, onset, suite }) => ({ suite, name, ...defined({ onset: onset?.trials }) }))
        }
      ]

/** Scenarios that did not pass, and that earlier runs or a quarantine excuse; `unusual` ones have a warning of their own. */
export const toleratedNotes = (report: RunReport, unusual: ReadonlyArray<Comparison>): ReadonlyArray<Finding> => {
  const { results } = report
  const rare = unusual.filter(({ figure }) => figure === "pass rate")
  const explained = results.filter(
    (result) =>
      !isCovered(result) &&
      !isUncleanOnly(result) &&
      isExplained(result, report) &&
      !rare.some((row) => isOf(result, row))
  )
  const flaky = (isUsual: boolean) =>
    note(
      { _tag: "Flaky", cause: null, trials: 0, isUsual },
      explained.filter((result) => hasFailedBefore(result, report) === isUsual)
    )
  return [
    ...flaky(true),
    ...flaky(false),
    ...note(
      { _tag: "Quarantined" },
      results.filter((result) => isCovered(result) && (result.verdict === "skipped" || isBad(result)))
    ),
    ...note({ _tag: "PartlyScored" }, results.filter(isPartlyScored))
  ]
}
