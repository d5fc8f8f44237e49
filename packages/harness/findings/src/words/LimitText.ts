import * as Money from "@webagent/cli/Money"
import { counted, duration } from "@webagent/cli/Text"
import type { ExceededRunLimit } from "@webagent/report/ExceededRunLimit"
import type { ScenarioLimit } from "@webagent/report/ScenarioLimit"

/** Returns the sentence about a limit that the shards of a run exceeded. */
export const ofRun = (limit: ExceededRunLimit): string => {
  switch (limit._tag) {
    case "Cost":
      return `the shards cost ${Money.shown(limit.actual_usd)} together, more than the ${Money.shown(limit.limit_usd)} of the night`
    case "Requests":
      return `the shards sent ${counted(limit.actual, "request")} together, more than the ${limit.limit} of the night`
    case "Time":
      return `the longest shard took ${duration(limit.actual_ms)}, more than the ${duration(limit.limit_ms)} of the night`
    case "Other":
      return limit.text
  }
}

/** Describes a limit that a scenario exceeded: `median duration 2.41 s, maxDuration 2 s`. */
export const ofScenario = (limit: ScenarioLimit): string => {
  switch (limit._tag) {
    case "MaxDuration":
      return `median duration ${duration(limit.actual_ms)}, maxDuration ${duration(limit.limit_ms)}`
    case "MaxCost":
      return `mean cost ${Money.shown(limit.actual_usd)}, maxCost ${Money.shown(limit.limit_usd)}`
  }
}
