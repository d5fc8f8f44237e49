import type { Comparison } from "@webagent/report/Comparison"
import type { FailureCause } from "@webagent/report/FailureCause"
import type { AffectedScenario, Finding, FindingKind, TrialCount } from "@webagent/report/Finding"
import type { Onset } from "@webagent/report/Onset"
import {
  allTrialsOf,
  breachesOf,
  isOverLimit,
  isUncleanOnly,
  leakedBrowsersOf,
  type RunReport,
  type ScenarioResult
} from "@webagent/report/RunReport"
import type { Verdict } from "@webagent/report/Verdict"
import { byCause, mainCauseOf } from "./Cause.ts"
import { isCovered, isExplained, isOf } from "./Tolerance.ts"

/** A finding about one scenario, before it is grouped with others. */
export interface Single {
  readonly finding: Finding
  readonly result: ScenarioResult
}

/** The invariant of a passed trial that left a run or session running. */
export const leftRunning = "runs-left-running"

const reasonOf = ({ reason, trials }: ScenarioResult) => reason ?? trials.find((trial) => trial.reason)?.reason

/** The cause of a scenario's failure. */
export const causeOf = (result: ScenarioResult): FailureCause | null => {
  const failures = [result, ...allTrialsOf(result)].flatMap(({ failure }) => failure ?? [])
  const [first] = byCause(failures, result.verdict === "infra" ? "infra" : "failed")
  const main = mainCauseOf(result)
  if (first !== undefined) return { ...first.cause, ...(main === undefined ? {} : { key: main.key }) }
  const text = reasonOf(result)
  return text === undefined ? null : { key: main?.key ?? text, facts: { _tag: "Other", text } }
}

/** Number of a scenario's planned trials. */
export const trialCountOf = ({ trials }: ScenarioResult): TrialCount => {
  const ran = trials.filter(({ verdict }) => verdict !== "skipped")
  const passed = ran.filter(({ verdict }) => verdict === "passed").length
  return { passed, ran: ran.length, notRun: trials.length - ran.length }
}

const single = (
  result: ScenarioResult,
  kind: FindingKind,
  onset: Onset | undefined,
  facts: Partial<AffectedScenario> = {}
): Single => ({
  result,
  finding: {
    kind,
    severity: "error",
    scenarios: [{ suite: result.suite, name: result.name, ...facts, ...(onset === undefined ? {} : { onset }) }]
  }
})

/** The kind of a scenario's verdict; undefined if it passed, or was skipped. */
export const kindOf = (verdict: Verdict, cause: FailureCause | null): FindingKind | undefined => {
  switch (verdict) {
    case "failed":
    case "claimed":
      return { _tag: "Failed", claimedSuccess: verdict === "claimed", cause, trials: 0 }
    case "flaky":
      return { _tag: "Flaky", cause, trials: 0, isUsual: false }
    case "infra":
      return { _tag: "Unreachable", cause, outage: null, trials: 0 }
    case "unscored":
      return { _tag: "Unscored", cause, trials: 0 }
    case "passed":
    case "skipped":
      return undefined
  }
}

/** A scenario that did not pass; undefined if it did, or if a broken invariant, a leak or a limit says why. */
const verdictFinding = (result: ScenarioResult, row?: Comparison): Single | undefined => {
  if (isUncleanOnly(result) || isOverLimit(result)) return undefined
  const cause = causeOf(result)
  const kind = kindOf(result.verdict, cause)
  return (
    kind &&
    single(result, kind, result.onset?.trials, {
      verdict: result.verdict,
      trials: trialCountOf(result),
      ...(cause === null ? {} : { cause }),
      ...(row === undefined ? {} : { comparison: row }),
      ...(result.quarantine?.expired === true ? { isQuarantineExpired: true } : {})
    })
  )
}

/** The trials that leaked browsers, from 1, if there are several. */
const leakedInOf = (result: ScenarioResult): ReadonlyArray<number> => {
  const trials = allTrialsOf(result)
  return trials.length < 2
    ? []
    : trials.flatMap(({ index, leakedBrowsers }) => (leakedBrowsers.length === 0 ? [] : [index + 1]))
}

/** Finds problems that no trial may cause, whatever it checks: leaks, abandoned runs and other broken invariants. */
const uncleanFindings = (result: ScenarioResult): ReadonlyArray<Single> => {
  const browsers = leakedBrowsersOf(result)
  const onset = result.onset?.invariants
  const leak = { browsers, leakedIn: leakedInOf(result), trials: trialCountOf(result) }
  // a leaked browser is also a breach of its own name
  const breaches = breachesOf(result).filter(
    ({ invariant }) => browsers.length === 0 || invariant !== "browsers-left-open"
  )
  const byInvariant = [...Map.groupBy(breaches, ({ invariant }) => invariant)]
  const of = ([invariant, all]: (typeof byInvariant)[number]) =>
    single(
      result,
      invariant === leftRunning ? { _tag: "AbandonedRun" } : { _tag: "BrokenInvariant", invariant },
      onset,
      { breaches: all }
    )
  return [
    ...byInvariant.filter(([invariant]) => invariant !== leftRunning).map(of),
    ...(browsers.length === 0 ? [] : [single(result, { _tag: "Leak" }, onset, leak)]),
    ...byInvariant.filter(([invariant]) => invariant === leftRunning).map(of)
  ]
}

/** Findings of one scenario, quarantined or not; `row` is its pass rate, if that regressed or is unusual. */
export const findingsOfResult = (
  result: ScenarioResult,
  { isTolerated = false, row }: { readonly isTolerated?: boolean; readonly row?: Comparison | undefined } = {}
): ReadonlyArray<Single> => {
  const isFailing = result.verdict === "failed" || result.verdict === "claimed" || result.verdict === "flaky"
  const verdict = verdictFinding(result, isFailing ? row : undefined)
  const shown = verdict === undefined || (isTolerated && isFailing) ? [] : [verdict]
  const { exceeded = [], quarantine } = result
  return [
    ...shown,
    ...exceeded.map((limit) => single(result, { _tag: "LimitExceeded", limit }, result.onset?.trials)),
    ...uncleanFindings(result),
    ...(quarantine?.expired === true && shown.length === 0
      ? [single(result, { _tag: "QuarantineExpired", expires: quarantine.expires }, undefined)]
      : [])
  ]
}

/** Everything about single scenarios that fails a run: quarantine and earlier runs excuse the rest. */
export const scenarioFindings = (report: RunReport): ReadonlyArray<Single> => {
  const rows = (report.judgement?.rows ?? []).filter(
    ({ figure, isUnusual, verdict }) =>
      figure === "pass rate" && (verdict === "regressed" || (isUnusual && verdict !== "not enough data"))
  )
  return report.results
    .filter((result) => !isCovered(result))
    .flatMap((result) =>
      findingsOfResult(result, {
        isTolerated: isExplained(result, report),
        row: rows.find((row) => isOf(result, row))
      })
    )
}
