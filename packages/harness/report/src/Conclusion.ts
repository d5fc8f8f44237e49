import { partialOf } from "./CutShort.ts"
import * as Gate from "./Gate.ts"
import type { RunReport } from "./RunReport.ts"

/** Adds to the report of a finished run the conclusions that its readers share. */
export const conclude = (report: RunReport): RunReport => {
  const partial = partialOf(report)
  return { ...report, ...(partial === undefined ? {} : { partial }), gate: Gate.decide(report) }
}
