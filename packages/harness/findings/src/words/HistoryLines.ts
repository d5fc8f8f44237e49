import { least } from "@webagent/nights/Past"
import type { Comparison } from "@webagent/report/Comparison"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import { type Finding, ofSeverity } from "@webagent/report/Finding"
import type { Ineligibility } from "@webagent/report/Ineligibility"
import type { NightJudgement } from "@webagent/report/NightJudgement"
import { cutShort } from "@webagent/report/CutShort"
import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import { counted, signedPercent } from "@webagent/cli/Text"
import * as Findings from "../Findings.ts"
import * as ChangeText from "./ChangeText.ts"
import * as ConfirmText from "./ConfirmText.ts"
import { figureName } from "./Figures.ts"
import { listed } from "./Names.ts"
import { before, detectable, evidence, now } from "./Statistics.ts"

const reach = (rows: ReadonlyArray<Comparison>): string => {
  const seen = (["pass rate", "duration", "cost"] as const).flatMap((figure) => {
    const row = rows.find((row) => row.scenario === null && row.figure === figure)
    const least = row && detectable(row)
    if (least === undefined) return []
    const amount = row?.detectable?.amount
    return [`${figure} ${amount?._tag === "Ratio" ? signedPercent(amount.ratio - 1) : `-${least}`}`]
  })
  return seen.length === 0
    ? ""
    : `. In the whole night, only changes larger than these are detected: ${seen.join(", ")}`
}

/** A figure and its scenario; the whole run's durations have the name that titles use. */
const figureText = (row: Comparison): string => {
  const { figure, scenario } = row
  if (scenario !== null) return `${figure} of ${scenarioTitle(scenario)}`
  return figure === "duration" ? figureName(row) : `${figure} of the whole night`
}

/** True if no figures were compared. Leaked browsers don't count, because they need no earlier nights. */
const isUncompared = ({ rows, verdict }: NightJudgement): boolean =>
  verdict === "not enough data" ||
  (rows.length > 0 && rows.every((row) => row.figure === "leaked browsers" || row.verdict === "not enough data"))

/** The reasons why nights are not compared, to follow "not counted: ". */
export const ineligible: Readonly<Record<Ineligibility, string>> = {
  OtherTarget: "another target",
  OtherTrials: "another number of trials",
  Partial: "partial",
  Later: "later than this one",
  Other: "another reason"
}

const notCounted = ({ passedOver }: NightJudgement): string =>
  passedOver.length === 0
    ? ""
    : ` (${passedOver.map(({ nights, why }) => `${nights} not counted: ${ineligible[why]}`).join("; ")})`

/** The tested code, if it is known: `; tested service 1.4.2, suites 3f0c1a2`. */
const testedText = ({ header }: RunReport): string => {
  const tested = ChangeText.tested(header.revisions)
  return tested === undefined ? "" : `; ${tested}`
}

/** Which code changed since the last night; undefined if that isn't known, or if a finding tells it. */
const changedText = (report: RunReport): string | undefined => {
  const { header, judgement } = report
  if (judgement?.previous === undefined || Findings.of(report).some(({ severity }) => severity !== "note"))
    return undefined
  const { revisions, startedAt, tool } = header
  return ChangeText.changedSince({
    good: judgement.previous,
    bad: { ...revisions, startedAt, tool: tool.version }
  })
}

/** Limits a sentence to the scenarios outside of quarantine, if one in quarantine is worse. */
const heldText = ({ rows }: NightJudgement): string =>
  rows.some(({ verdict }) => verdict === "regressed") ? " outside of quarantine" : ""

/** The scenarios and figures of the whole night that got worse: `1 scenario is worse than before`; undefined if none did. */
const worseText = (errors: ReadonlyArray<Finding>): string | undefined => {
  const figures = errors.flatMap(({ kind, scenarios }) =>
    kind._tag === "Regressed" && scenarios.length === 0 ? [kind.comparison] : []
  )
  // one may be in several findings, by its duration and its cost
  const scenarios = new Set(
    errors.flatMap(({ kind, scenarios }) =>
      scenarios
        .filter(({ comparison }) => kind._tag === "Regressed" || comparison?.verdict === "regressed")
        .map(scenarioTitle)
    )
  ).size
  const worse = [...figures.map(figureText), ...(scenarios === 0 ? [] : [counted(scenarios, "scenario")])]
  const isOne = worse.length === 1 && scenarios < 2 && figures[0]?.figure !== "duration"
  return worse.length === 0 ? undefined : `${listed(worse)} ${isOne ? "is" : "are"} worse than before`
}

/** The differences that the comparison shows; empty if there is no evidence of any. */
const changesOf = (report: RunReport, { rows }: NightJudgement): ReadonlyArray<string> => {
  const findings = Findings.of(report)
  const warnings = ofSeverity(findings, "warning").reduce(
    (sum, { scenarios }) => sum + Math.max(1, scenarios.length),
    0
  )
  const worse = worseText(ofSeverity(findings, "error"))
  const better = rows.filter((row) => row.verdict === "improved")
  return [
    ...(worse === undefined ? [] : [worse]),
    ...(better.length === 0 ? [] : [`${counted(better.length, "improvement")} (${listed(better.map(figureText))})`]),
    ...(warnings === 0 ? [] : [counted(warnings, "warning")])
  ]
}

const judged = (report: RunReport, judgement: NightJudgement): ReadonlyArray<string> => {
  const { nights, rows } = judgement
  const base = `${counted(nights, "night")}${notCounted(judgement)}`
  if (isUncompared(judgement))
    return [
      `history  compared with ${base}: not enough data. ${least} earlier nights ${nights < least ? "" : "of the same scenarios and code "}are needed; each run with --record adds one.`
    ]
  const changes = changesOf(report, judgement)
  // errors that the history has no part in are listed below
  const apart = ofSeverity(Findings.of(report), "error").length === 0 ? "" : "apart from the problems below, "
  const changed = changedText(report)
  const tested = changed === undefined ? testedText(report) : ""
  return [
    `history  compared with ${base}: ${changes.length > 0 ? changes.join(", ") : `${apart}no evidence of a regression${tested}${reach(rows)}`}`,
    ...(changed === undefined ? [] : [`changed  ${changed}`])
  ]
}

/** A figure with its evidence in one line. */
export const rowText = (row: Comparison): string => `${figureText(row)}: ${evidence(row)}`

const isInterrupted = ({ verdict }: ScenarioResult): boolean => verdict === "infra" || verdict === "unscored"

/**
 * The whole run's figures next to their usual values, and if it has no problem how sure that is and which code changed, in
 * sentences; empty if it was not compared.
 */
export const compared = (report: RunReport): ReadonlyArray<string> => {
  const { judgement, results } = report
  if (judgement === undefined || isUncompared(judgement)) return []
  const figures = judgement.rows.flatMap((row) => {
    const { change, figure, scenario } = row
    if (scenario !== null || row.verdict === "not enough data") return []
    if (figure === "pass rate")
      return [`${figure} ${now(row)}, ${now(row) === before(row) ? "as usual" : `usually ${before(row)}`}`]
    return change === undefined ? [] : [`typical scenario ${figure} ${signedPercent(change)}`]
  })
  const scored = results.filter((result) => result.verdict !== "skipped" && !isInterrupted(result)).length
  const isPart = results.some(isInterrupted) || cutShort(report).some(({ verdict }) => verdict === "skipped")
  const only = isPart ? ` (only the ${counted(scored, "scenario")} with results)` : ""
  const changed = changedText(report)
  const tested = changed === undefined ? testedText(report) : ""
  return [
    ...(Findings.of(report).some(({ severity }) => severity !== "note") || changesOf(report, judgement).length > 0
      ? []
      : [`No evidence of a regression${heldText(judgement)}${reach(judgement.rows)}.`]),
    ...(figures.length === 0
      ? []
      : [`Compared with ${counted(judgement.nights, "night")}${only}: ${figures.join("; ")}${tested}.`]),
    ...(changed === undefined ? [] : [`Changed: ${changed}.`])
  ]
}

/** Reports that a run was not compared because there are too few others; undefined if it was, or without a history. */
export const uncompared = ({ judgement }: Pick<RunReport, "judgement">): string | undefined => {
  if (judgement === undefined || !isUncompared(judgement)) return undefined
  const { nights } = judgement
  const which = nights < least ? "" : " of the same scenarios and code"
  return `Not compared with earlier nights: ${least}${which} are needed${nights < least ? `, and ${counted(nights, "night")} ${nights === 1 ? "is" : "are"} known${notCounted(judgement)}` : ""}. Each run with --record adds one.`
}

/** The evidence for a scenario that may leave quarantine. */
export const releaseText = ({ clean, failsBelow }: NonNullable<RunReport["proposals"]>[number]): string =>
  `${clean} trials in a row passed: with 95 % confidence it fails in less than ${(100 * failsBelow).toFixed(1)} % of them`

/** Lines about extra trials, the comparison with earlier nights and its differences, and scenarios that may leave quarantine. */
export const lines = (report: RunReport): ReadonlyArray<string> => {
  const { judgement, proposals = [] } = report
  const confirm = ConfirmText.summary(report)
  return [
    ...(confirm === undefined ? [] : [`extra    ${confirm}`]),
    ...(judgement === undefined
      ? []
      : [...judged(report, judgement), ...judgement.differences.map((difference) => `         ${difference}`)]),
    ...proposals.map(
      (proposal) =>
        `release  ${scenarioTitle({ suite: proposal.suite, name: proposal.scenario })} (${proposal.owner}): ${releaseText(proposal)}. Remove it from quarantine.`
    )
  ]
}
