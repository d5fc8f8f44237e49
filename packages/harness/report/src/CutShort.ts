import * as Gate from "./Gate.ts"
import * as Outage from "./Outage.ts"
import type { Partial } from "./Partial.ts"
import type { RunReport, ScenarioResult } from "./RunReport.ts"
import type { Skip } from "./Skip.ts"
import { counted } from "@webagent/cli/Text"

/** The cause that kept a scenario from completing, in a word or two; undefined if it is missing every night. */
const causeOf = (skip: Skip | undefined): string | undefined => {
  switch (skip?._tag) {
    case "Unserved":
    case "NoBudget":
    case "OverCostLimit":
      return undefined
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
    case undefined:
      return "a limit"
  }
}

/** The reason why a scenario has no trials, or fewer than planned. */
const reasonOf = (result: ScenarioResult): string | undefined => causeOf(Gate.skipOf(result))

/** The scenarios that ran out of time, money or requests: not run, or not with all their trials. */
export const cutShort = (report: RunReport): ReadonlyArray<ScenarioResult> =>
  report.results.filter((result) => Gate.isCut(report)(result) && reasonOf(result) !== undefined)

/** `partial: 5 of 9 scenarios cut short`; undefined of a run that is whole, or that was stopped. */
export const brief = (report: RunReport): string | undefined => {
  const cut = report.interrupted ? [] : cutShort(report)
  return cut.length === 0
    ? undefined
    : `partial: ${cut.length} of ${counted(report.results.length, "scenario")} cut short`
}

/** The same with what cut it short: `partial: 5 of 9 scenarios cut short by --max-time`. */
export const text = (report: RunReport): string | undefined => {
  const line = brief(report)
  const why = new Set(cutShort(report).flatMap((result) => reasonOf(result) ?? []))
  return line === undefined ? undefined : `${line} by ${[...why].join(", ")}`
}

/** Number of planned trials that were not run; undefined if scenarios that were not run declare their own number. */
export const unrun = (report: RunReport): number | undefined => {
  const { trials: planned } = report.header
  const all = cutShort(report)
  if (planned === null && all.some(({ trials }) => trials.length === 0)) return undefined
  return all.reduce(
    (sum, { trials }) =>
      sum + (trials.length === 0 ? (planned ?? 0) : trials.filter(({ verdict }) => verdict === "skipped").length),
    0
  )
}

const skipsOf = ({ skip, trials }: ScenarioResult): ReadonlyArray<Skip> =>
  [skip, ...trials.map((trial) => trial.skip)].flatMap((one) => one ?? [])

/** Returns the reason why a run can't be part of the baseline of later runs; undefined if it is complete. */
export const partialOf = (report: RunReport): Partial | undefined => {
  const { header, interrupted, results, shards } = report
  if (interrupted) return { _tag: "Stopped", isShard: false }
  if (Outage.isWhole(report)) return { _tag: "ServiceAway", isWhole: true }
  if (header.shard !== undefined) return { _tag: "Shard", index: header.shard.index, of: header.shard.of }
  if (shards?.some((shard) => shard.interrupted)) return { _tag: "Stopped", isShard: true }
  if (header.selection !== undefined) return { _tag: "Selection", ...header.selection }
  const short = cutShort(report)
  const skips = short.flatMap(skipsOf)
  if (skips.some(({ _tag }) => _tag === "ServiceAway")) return { _tag: "ServiceAway", isWhole: false }
  if (short.length > 0) {
    const missing = new Set(skips.flatMap((skip) => (skip._tag === "MissingShard" ? [skip.shard] : [])))
    const share = { cut: short.length, of: results.length }
    return missing.size > 0
      ? { _tag: "LostShard", shards: [...missing], ...share }
      : { _tag: "Limit", which: [...new Set(skips.map(({ _tag }) => _tag))], ...share }
  }
  if (results.every(({ verdict }) => verdict === "skipped")) return { _tag: "NothingRan" }
  const away = Gate.awayTooOften(results)
  return away && { _tag: "Infra", ...away }
}
