import type { CutCost } from "./CutCost.ts"
import * as Money from "./Money.ts"
import type { RunHeader, RunReport } from "./RunReport.ts"

/** What all trials cost that were cut, however often a run, or a shard of it, was killed; undefined where none may have. */
export const of = ({ header, shards = [] }: Pick<RunReport, "header" | "shards">): CutCost | undefined => {
  const parts: ReadonlyArray<Pick<RunHeader, "resumed">> = [header, ...shards]
  const all = parts.flatMap(({ resumed = [] }) => resumed.flatMap(({ cut }) => cut ?? []))
  const bounds = all.map(({ most_usd }) => most_usd)
  const most_usd = bounds.includes(null) ? null : Money.sum(bounds.filter((bound) => bound !== null))
  return most_usd === "0"
    ? undefined
    : {
        trials: all.reduce((total, { trials }) => total + trials, 0),
        known_usd: Money.sum(all.map(({ known_usd }) => known_usd)),
        most_usd
      }
}

/** What is set aside of the limit of money for trials that were cut, in USD. */
export const heldFor = (header: RunHeader): string => {
  const cut = of({ header })
  return cut?.most_usd ?? cut?.known_usd ?? "0"
}
