import { partialOf } from "@webagent/report/CutShort"
import type { RunReport } from "@webagent/report/RunReport"
import { findingsOf } from "./Findings.ts"

/** Adds to the report of a finished run the conclusions that its readers share. */
export const conclude = <Report extends RunReport>(report: Report) => {
  const partial = partialOf(report)
  return {
    ...report,
    ...(partial === undefined ? {} : { partial }),
    findings: findingsOf(report)
  } satisfies RunReport
}
