import { cutShort, skipOf } from "@webagent/report/CutShort"
import type { RunReport } from "@webagent/report/RunReport"
import type { Skip } from "@webagent/report/Skip"
import { counted } from "@webagent/cli/Text"

/** The limit that kept a scenario from completing, in a word or two. */
const limitOf = (skip: Skip | undefined): string => {
  switch (skip?._tag) {
    case "TimeLimit":
      return "--max-time"
    case "ScenarioTimeLimit":
      return "--max-scenario-time"
    case "CostLimit":
      return "--max-cost"
    case "CostUnknown":
      return "an unknown cost"
    case "RequestLimit":
      return "--max-requests"
    case "ConfirmLimit":
    case "PaidConfirmLimit":
      return "--confirm"
    case "Bail":
      return "--bail"
    case "BudgetUsed":
      return "its own budget"
    case "MissingShard":
      return "a missing shard"
    case "ServiceAway":
      return "an outage"
    case "Stopped":
      return "a stop"
    default:
      return "a limit"
  }
}

/**
 * The part that limits kept from running: `partial: 5 of 9 scenarios cut short`, and with the limits; undefined for a run
 * that is complete, or that was stopped.
 */
export const partialOf = (report: RunReport): { readonly brief: string; readonly text: string } | undefined => {
  const cut = report.interrupted ? [] : cutShort(report)
  if (cut.length === 0) return undefined
  const brief = `partial: ${cut.length} of ${counted(report.results.length, "scenario")} cut short`
  const limits = new Set(cut.map((result) => limitOf(skipOf(result))))
  return { brief, text: `${brief} by ${[...limits].join(", ")}` }
}
