import * as Schema from "effect/Schema"

/** The reason why a scenario or a trial was skipped or not completed. Amounts are exact decimals in USD. */
export const Skip = Schema.Union([
  /** The target does not serve a need of the scenario. */
  Schema.TaggedStruct("Unserved", { why: Schema.String }),
  /** `--max-time`, `--max-scenario-time`, `--max-cost` and `--max-requests` of the run that it belongs to. */
  Schema.TaggedStruct("TimeLimit", { limit_ms: Schema.Number }),
  Schema.TaggedStruct("ScenarioTimeLimit", { limit_ms: Schema.Number }),
  Schema.TaggedStruct("CostLimit", { limit_usd: Schema.String }),
  Schema.TaggedStruct("RequestLimit", { limit: Schema.Int }),
  /** `--extra-trials` of the run: its extra trials are used up. */
  Schema.TaggedStruct("ConfirmLimit", { limit: Schema.Int }),
  /** A scenario that may cost money has used its share of the extra trials, and the run has no limit of cost. */
  Schema.TaggedStruct("PaidConfirmLimit", { limit: Schema.Int }),
  /** `--bail` of the run: this many scenarios failed. */
  Schema.TaggedStruct("Bail", { failures: Schema.Int }),
  /** It may cost more than the whole run may. */
  Schema.TaggedStruct("OverCostLimit", { worst_usd: Schema.String, limit_usd: Schema.String }),
  /** A run was over and its service reported no cost, so no limit of cost can be enforced. */
  Schema.TaggedStruct("CostUnknown", { run: Schema.String }),
  /** Nothing bounds its cost, and the run has a limit of cost. */
  Schema.TaggedStruct("NoBudget", {}),
  /** Its trials have used up its own budget. */
  Schema.TaggedStruct("BudgetUsed", { budget_usd: Schema.String }),
  /** Nothing answered at the target for this long, or when the run began. */
  Schema.TaggedStruct("ServiceAway", { waited_ms: Schema.Number }),
  /** The run was stopped by hand. */
  Schema.TaggedStruct("Stopped", {}),
  /** The shard that should have run it is missing. */
  Schema.TaggedStruct("MissingShard", { shard: Schema.Int })
])
export type Skip = typeof Skip.Type
