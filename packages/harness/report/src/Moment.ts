import type { RunHeader, RunReport, ScenarioResult } from "./RunReport.ts"

/**
 * The time of day, in milliseconds since 1970, of a moment `after_ms` into the run of a scenario. `after_ms` leaves out
 * the time between a kill and a resumption, and each shard counts from its own beginning.
 */
export const of = (report: RunReport, { shard }: ScenarioResult, after_ms: number): number => {
  const part: Pick<RunHeader, "startedAt" | "resumed"> =
    report.shards?.find(({ index }) => index === shard) ?? report.header
  const again = part.resumed?.findLast((resumed) => resumed.after_ms <= after_ms)
  return again === undefined ? Date.parse(part.startedAt) + after_ms : Date.parse(again.at) + after_ms - again.after_ms
}
