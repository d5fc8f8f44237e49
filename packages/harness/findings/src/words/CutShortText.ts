import { cutShort, isUnrun, partialOf as whyPartial, skipOf } from "@webagent/report/CutShort"
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
      return "--extra-trials"
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

/** The part whose trials the infrastructure ended, if they are too many: `partial: 10 of 30 trials interrupted`. */
const interruptedOf = (report: RunReport) => {
  const partial = whyPartial(report)
  if (partial?._tag !== "Infra") return undefined
  const brief = `partial: ${partial.failed} of ${counted(partial.trials, "trial")} interrupted`
  return { brief, text: brief }
}

/**
 * The part that limits kept from running: `partial: 5 of 9 scenarios cut short`, or `did not run`, and with the limits; or
 * the trials that an outage interrupted. Undefined for a run that is complete, or that was stopped.
 */
export const partialOf = (report: RunReport): { readonly brief: string; readonly text: string } | undefined => {
  const cut = report.interrupted ? [] : cutShort(report)
  if (cut.length === 0) return interruptedOf(report)
  const isUnrunAll = cut.every(isUnrun)
  const brief = `partial: ${cut.length} of ${counted(report.results.length, "scenario")} ${isUnrunAll ? "did not run" : "cut short"}`
  const limits = new Set(cut.map((result) => limitOf(skipOf(result))))
  return { brief, text: `${brief}${isUnrunAll ? " because of" : " by"} ${[...limits].join(", ")}` }
}
