import * as Schema from "effect/Schema"
import * as Money from "@webagent/cli/Money"
import { duration } from "@webagent/cli/Text"

/** A limit of a scenario that its trials exceeded tonight, whatever the nights before were. */
export const ScenarioLimit = Schema.Union([
  /** `maxDuration`: the median of the trials that passed took longer. */
  Schema.TaggedStruct("MaxDuration", { limit_ms: Schema.Number, actual_ms: Schema.Number }),
  /** `maxCost`: a trial cost more on average. Exact decimals in USD. */
  Schema.TaggedStruct("MaxCost", { limit_usd: Schema.String, actual_usd: Schema.String })
])

/** A limit of a scenario that its trials exceeded. */
export type ScenarioLimit = typeof ScenarioLimit.Type

/** For a person: `median duration 2.41 s, maxDuration 2 s`. */
export const text = (limit: ScenarioLimit): string => {
  switch (limit._tag) {
    case "MaxDuration":
      return `median duration ${duration(limit.actual_ms)}, maxDuration ${duration(limit.limit_ms)}`
    case "MaxCost":
      return `mean cost ${Money.shown(limit.actual_usd)}, maxCost ${Money.shown(limit.limit_usd)}`
  }
}
