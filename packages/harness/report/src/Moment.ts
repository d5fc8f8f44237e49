import type { RunHeader, RunReport, ScenarioResult } from "./RunReport.ts"

/**
 * When it was, in milliseconds since 1970, so many milliseconds after a scenario's run had begun. The time between a kill
 * and a resumption is not among these, and each shard counts from its own beginning.
 */
export const of = (report: RunReport, { shard }: ScenarioResult, after_ms: number): number => {
  const part: Pick<RunHeader, "startedAt" | "resumed"> =
    report.shards?.find(({ index }) => index === shard) ?? report.header
  const again = part.resumed?.findLast((resumed) => resumed.after_ms <= after_ms)
  return again === undefined ? Date.parse(part.startedAt) + after_ms : Date.parse(again.at) + after_ms - again.after_ms
}
