import type { Comparison } from "@webagent/report/Comparison"
import type { Finding } from "@webagent/report/Finding"
import { isNew } from "../Tolerance.ts"

/** Words for a figure that got worse, and for a scenario's figure far outside of earlier runs. */
const figures: { readonly [figure in Comparison["figure"]]?: readonly [worse: string, unusual: string] } = {
  "pass rate": ["lower pass rate", "unusually flaky"],
  duration: ["slower trials", "unusually slow"],
  cost: ["costlier trials", "unusually costly"]
}

/** A figure far outside of earlier runs, in two or three words. */
const unusualOf = (row: Comparison): string =>
  // that it is new is in the evidence
  isNew(row)
    ? "flaky"
    : ((row.scenario === null && row.figure === "pass rate" ? undefined : figures[row.figure]?.[1]) ??
      `unusual ${row.figure}`)

/** The problem, in two or three words. */
export const text = ({ kind, scenarios: [first] }: Pick<Finding, "kind" | "scenarios">): string => {
  switch (kind._tag) {
    case "Failed":
      return first?.verdict === "claimed" || kind.claimedSuccess ? "false success" : "failed"
    case "Flaky":
      return "flaky"
    case "Unreachable":
      return "interrupted"
    case "Unscored":
    case "PartlyScored":
      return "not scored"
    case "Leak":
      return "browser leak"
    case "AbandonedRun":
      return "abandoned run"
    case "BrokenInvariant":
      return kind.invariant
    case "LimitExceeded":
      return "exceeded limit"
    case "RunLimitExceeded":
      return "limit crossed"
    case "CostUnknown":
      return "cost unknown"
    case "Regressed":
      return figures[kind.comparison.figure]?.[0] ?? `more ${kind.comparison.figure}`
    case "Unusual":
      return unusualOf(kind.comparison)
    case "Quarantined":
      return "quarantined"
    case "QuarantineExpired":
      return "quarantine expired"
    case "Incomplete":
      if (kind.why._tag === "Stopped") return "stopped"
      return kind.why._tag === "NothingRan" || kind.why._tag === "ScenarioTimeLimit" ? "not run" : "incomplete"
    case "NotRun":
      return "not run"
    case "ServiceAway":
      return "outage"
    case "StillOpen":
      return "still open"
  }
}
