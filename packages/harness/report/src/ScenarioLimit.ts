import * as Schema from "effect/Schema"

/** A limit of a scenario that its trials exceeded tonight, whatever the nights before were. */
export const ScenarioLimit = Schema.Union([
  /** `maxDuration`: the median of the trials that passed took longer. */
  Schema.TaggedStruct("MaxDuration", { limit_ms: Schema.Number, actual_ms: Schema.Number }),
  /** `maxCost`: a trial cost more on average. Exact decimals in USD. */
  Schema.TaggedStruct("MaxCost", { limit_usd: Schema.String, actual_usd: Schema.String })
])
export type ScenarioLimit = typeof ScenarioLimit.Type
