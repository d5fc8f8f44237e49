import * as Outage from "./Outage.ts"
import type { Partial } from "./Partial.ts"
import type { RunReport, ScenarioResult } from "./RunReport.ts"
import type { Skip } from "./Skip.ts"

/** True if a scenario has no trial that ran. */
export const isUnrun = ({ trials }: ScenarioResult): boolean => !trials.some(({ verdict }) => verdict !== "skipped")

/** True if a scenario was skipped or not completed for a reason other than a need that the target doesn't support. */
export const isCut =
  (report: RunReport) =>
  (result: ScenarioResult): boolean =>
    result.needs.every((need) => report.header.target.capabilities.includes(need)) &&
    (result.verdict === "skipped" || result.trials.some(({ verdict }) => verdict === "skipped"))

/** The reason why a scenario was skipped or not completed. */
export const skipOf = ({ skip, trials }: ScenarioResult): Skip | undefined =>
  skip ?? trials.find((trial) => trial.skip !== undefined)?.skip

/** True if the reason holds for every run, so that the run is not partial without the scenario. */
const isPermanent = (skip: Skip | undefined): boolean =>
  skip?._tag === "Unserved" || skip?._tag === "NoBudget" || skip?._tag === "OverCostLimit"

/** The scenarios that ran out of time, money or requests: not run, or not with all their trials. */
export const cutShort = (report: RunReport): ReadonlyArray<ScenarioResult> =>
  report.results.filter((result) => isCut(report)(result) && !isPermanent(skipOf(result)))

/** Above this share of trials that the infrastructure ended, a run has too few results. */
const mostInfra = 0.2

/** Number of trials that the infrastructure ended, if they are too many of those that ran. */
export const unreachableOf = (
  results: ReadonlyArray<ScenarioResult>
): { readonly trials: number; readonly of: number } | undefined => {
  const ran = results.flatMap(({ trials }) => trials).filter(({ verdict }) => verdict !== "skipped")
  const away = ran.filter(({ verdict }) => verdict === "infra").length
  return away > mostInfra * ran.length ? { trials: away, of: ran.length } : undefined
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
  const away = unreachableOf(results)
  return away && { _tag: "Infra", failed: away.trials, trials: away.of }
}
