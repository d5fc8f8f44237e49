import * as Schema from "effect/Schema"
import * as Money from "@webagent/cli/Money"
import { counted, duration } from "@webagent/cli/Text"

/** The reason why a scenario or a trial was skipped or not completed. Amounts are exact decimals in USD. */
export const Skip = Schema.Union([
  /** The target does not serve a need of the scenario. */
  Schema.TaggedStruct("Unserved", { why: Schema.String }),
  /** `--max-time`, `--max-scenario-time`, `--max-cost` and `--max-requests` of the run that it belongs to. */
  Schema.TaggedStruct("TimeLimit", { limit_ms: Schema.Number }),
  Schema.TaggedStruct("ScenarioTimeLimit", { limit_ms: Schema.Number }),
  Schema.TaggedStruct("CostLimit", { limit_usd: Schema.String }),
  Schema.TaggedStruct("RequestLimit", { limit: Schema.Int }),
  /** `--confirm` of the run: its confirm trials are used up. */
  Schema.TaggedStruct("ConfirmLimit", { limit: Schema.Int }),
  /** A scenario that may cost money has used its share of the confirm trials, and the run has no limit of cost. */
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

/** It in words that follow "not run: ". */
export const text = (skip: Skip): string => {
  switch (skip._tag) {
    case "Unserved":
      return skip.why
    case "TimeLimit":
      return `--max-time (${duration(skip.limit_ms)}) was reached`
    case "ScenarioTimeLimit":
      return `--max-scenario-time (${duration(skip.limit_ms)}) was reached`
    case "CostLimit":
      return `--max-cost (${Money.shown(skip.limit_usd)}) was reached`
    case "RequestLimit":
      return `--max-requests (${counted(skip.limit, "request")}) was reached`
    case "ConfirmLimit":
      return `--confirm (${counted(skip.limit, "trial")}) was reached`
    case "PaidConfirmLimit":
      return `a paid scenario gets ${counted(skip.limit, "confirm trial")} without --max-cost`
    case "Bail":
      return `--bail (${counted(skip.failures, "failed scenario")}) was reached`
    case "OverCostLimit":
      return `it may cost ${Money.shown(skip.worst_usd)}, more than --max-cost (${Money.shown(skip.limit_usd)})`
    case "CostUnknown":
      return `cost unknown: the service reported no cost for ${skip.run}, so no limit of cost can be enforced`
    case "NoBudget":
      return "it declares no budget, and --max-cost needs one: declare a budget, or pass --trial-budget"
    case "BudgetUsed":
      return `its budget of ${Money.shown(skip.budget_usd)} is used up`
    case "ServiceAway":
      return skip.waited_ms === 0
        ? "the service was away"
        : `the service was unreachable for ${duration(skip.waited_ms)}`
    case "Stopped":
      return "the run was stopped before it finished"
    case "MissingShard":
      return `shard ${skip.shard} is missing`
  }
}

/** Things that were skipped, grouped by why, each group with its sentence. */
export const grouped = <A>(
  all: ReadonlyArray<A>,
  skipOf: (one: A) => Skip | undefined
): ReadonlyArray<readonly [why: string, group: ReadonlyArray<A>]> =>
  [...Map.groupBy(all, (one) => JSON.stringify(skipOf(one))).values()].map((group) => {
    const skip = group[0] && skipOf(group[0])
    return [skip === undefined ? "no reason given" : text(skip), group]
  })

/** Fields of a report for a skip: the tagged value, and its sentence for people. */
export const said = (skip: Skip) => ({ skip, reason: text(skip) })
