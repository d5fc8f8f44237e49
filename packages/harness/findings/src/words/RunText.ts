import { cutShort } from "@webagent/report/CutShort"
import * as InterruptedTrials from "@webagent/report/InterruptedTrials"
import { statusOf } from "@webagent/report/Finding"
import type { RunReport } from "@webagent/report/RunReport"
import { isOpen } from "@webagent/report/Trial"
import * as Findings from "../Findings.ts"
import { partialOf } from "./CutShortText.ts"
import * as HistoryLines from "./HistoryLines.ts"
import * as Title from "./Title.ts"

const titledOf = (report: RunReport): Title.Titled => {
  const ran = report.results.filter(({ verdict }) => verdict !== "skipped")
  return {
    findings: Findings.of(report),
    ran: ran.length,
    passed: ran.filter(({ verdict }) => verdict === "passed").length,
    isCutShort: cutShort(report).some(({ verdict }) => verdict === "skipped"),
    partial: partialOf(report)
  }
}

/** The title of a run, without its status. */
export const titleOf = (report: RunReport): string => Title.fullTitleOf(titledOf(report))

/** A run in a line, for the end of its output. */
export const lastLineOf = (report: RunReport): string => Title.lastLineOf(titledOf(report))

/** `75 of 76 scenarios passed`: of those that ran. */
export const passedText = (report: RunReport): string => Title.passedText(titledOf(report))

/** True if the title of a passed run is the number of its passed scenarios, without an outage, open resources or limits. */
export const isPlain = (report: RunReport): boolean =>
  partialOf(report) === undefined &&
  Findings.of(report).every(({ kind }) => kind._tag !== "ServiceAway" && kind._tag !== "StillOpen")

/** True if a run without errors and warnings leaves no doubt: it is complete, and was compared if it has a history. */
const isSure = (report: RunReport): boolean =>
  !report.interrupted &&
  !(report.leftovers ?? []).some(isOpen) &&
  cutShort(report).length === 0 &&
  InterruptedTrials.of(report) === undefined &&
  HistoryLines.uncompared(report) === undefined

/** True if there is nothing to do after a night: it was compared, it passed, and it leaves no doubt. */
export const isDone = (report: RunReport): boolean =>
  report.judgement !== undefined && statusOf(Findings.of(report)) === "passed" && isSure(report)
