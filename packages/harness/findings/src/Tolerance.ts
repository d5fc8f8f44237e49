import type { Comparison, ScenarioName } from "@webagent/report/Comparison"
import type { NightJudgement } from "@webagent/report/NightJudgement"
import { allTrialsOf, isOverLimit, type RunReport, type ScenarioResult } from "@webagent/report/RunReport"
import type { Verdict } from "@webagent/report/Verdict"
import { least } from "@webagent/nights/Past"

/** True if a scenario is in a quarantine that has not expired, so that its verdict doesn't fail the run. */
export const isCovered = ({ quarantine }: Pick<ScenarioResult, "quarantine">): boolean =>
  quarantine !== undefined && !quarantine.expired

/** True if a comparison is about this scenario. */
export const isOf = (scenario: ScenarioName | undefined, comparison: Comparison): boolean =>
  scenario?.suite === comparison.scenario?.suite && scenario?.name === comparison.scenario?.name

/** The pass rate of a scenario compared with earlier runs. */
export const passRateOf = (scenario: ScenarioName, judgement: NightJudgement | undefined): Comparison | undefined =>
  judgement?.rows.find((row) => row.figure === "pass rate" && isOf(scenario, row))

/** True if no earlier run has run a scenario in its current version, so that its pass rate is from this run alone. */
export const isNew = ({ figure, nights, scenario }: Comparison): boolean =>
  figure === "pass rate" && scenario !== null && nights === 0

/** Scored trials of a scenario in one run, planned and extra trials together. */
interface Passing {
  readonly verdict: Verdict
  readonly passed: number
}

const isFine = ({ isUnusual, verdict }: Comparison) => !isUnusual && verdict !== "regressed"

/**
 * True if earlier runs explain that a scenario didn't always pass, so that it doesn't fail the run. A scenario without a
 * single passed trial is never explained: only quarantine keeps it from failing the run. A flaky scenario is explained if
 * its pass rate hasn't fallen, or if it's new and too few runs have run it. If all planned trials failed and some confirm
 * trials passed, that must also be usual.
 */
export const isTolerated = ({ passed, verdict }: Passing, row: Comparison | undefined, nights: number): boolean =>
  row !== undefined &&
  passed > 0 &&
  (row.nights >= least
    ? (row.verdict === "no evidence" || row.verdict === "improved") &&
      (verdict === "flaky" || (verdict === "failed" && isFine(row)))
    : verdict === "flaky" && (nights >= least || (row.nights > 0 && isFine(row))))

/** True if earlier runs explain the result of a scenario. */
export const isExplained = (result: ScenarioResult, { judgement }: RunReport): boolean =>
  // one that exceeded a limit or its budget says nothing by its pass rate
  result.failure?.kind !== "budget" &&
  !isOverLimit(result) &&
  judgement !== undefined &&
  isTolerated(
    {
      verdict: result.verdict,
      passed: allTrialsOf(result).filter(({ verdict }) => verdict === "passed").length
    },
    passRateOf(result, judgement),
    judgement.nights
  )
