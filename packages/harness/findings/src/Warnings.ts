import type { Comparison } from "@webagent/report/Comparison"
import type { FailureCause } from "@webagent/report/FailureCause"
import type { Finding } from "@webagent/report/Finding"
import { isBad, type RunReport, type ScenarioResult } from "@webagent/report/RunReport"
import { mainCauseOf } from "./Cause.ts"
import { isCovered, isExplained, isNew, isOf } from "./Tolerance.ts"

/** Figures far outside of earlier runs that don't fail a run: a person should look at them. */
export const unusualFigures = (report: RunReport): ReadonlyArray<Comparison> => {
  const { judgement, results } = report
  const isOfSome = (some: ReadonlyArray<ScenarioResult>, row: Comparison) => some.some((result) => isOf(result, row))
  const covered = results.filter(isCovered)
  // a failure says more than a low pass rate
  const failing = results.filter((result) => isBad(result) && !isCovered(result) && !isExplained(result, report))
  const rows = (judgement?.rows ?? []).filter(
    (row) =>
      row.isUnusual &&
      !isOfSome(covered, row) &&
      !(row.scenario !== null && row.figure === "pass rate" && isOfSome(failing, row))
  )
  // single scenarios explain the whole run's pass rate; a new one is no part of it
  const isExplainedByScenarios =
    failing.length > 0 || rows.some((row) => row.figure === "pass rate" && row.scenario !== null && !isNew(row))
  return rows.filter(({ figure, scenario }) => !(isExplainedByScenarios && figure === "pass rate" && scenario === null))
}

const causeOf = ({ figure }: Comparison, result: ScenarioResult | undefined): FailureCause | null =>
  figure === "pass rate" && result !== undefined ? (mainCauseOf(result) ?? null) : null

/** A warning for each unusual figure: scenarios of one figure together, pass rates by cause. */
export const warnings = ({ results }: RunReport, unusual: ReadonlyArray<Comparison>): ReadonlyArray<Finding> => {
  const all = unusual.map((comparison) => {
    const cause = causeOf(
      comparison,
      results.find((result) => isOf(result, comparison))
    )
    return { comparison, cause }
  })
  const groups = Map.groupBy(all, ({ cause, comparison }) =>
    comparison.scenario === null ? comparison : `${comparison.figure} ${isNew(comparison)} ${cause?.key}`
  )
  return [...groups.values()].flatMap((group): ReadonlyArray<Finding> => {
    // the first is the example of all: it has to be the worst
    const [first, ...rest] = group.toSorted(
      (one, other) => (other.comparison.change ?? 0) - (one.comparison.change ?? 0)
    )
    if (first === undefined) return []
    return [
      {
        kind: { _tag: "Unusual", ...first },
        severity: "warning",
        scenarios: [first, ...rest].flatMap(({ cause, comparison }) =>
          comparison.scenario === null
            ? []
            : [{ ...comparison.scenario, comparison, ...(cause === null ? {} : { cause }) }]
        )
      }
    ]
  })
}
