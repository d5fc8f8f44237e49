import { holds, parse } from "../src/ThresholdExpression.ts"
import type { Prepared } from "./Iteration.ts"
import type { Settings } from "./Settings.ts"

/** The data that k6 passes at the end. */
export interface Summary {
  readonly metrics: Readonly<Record<string, Metric>>
  /** The result of `setup`; missing if it didn't complete. */
  readonly setup_data?: Prepared | null
}

interface Metric {
  readonly values: Readonly<Record<string, number>>
  readonly thresholds?: Readonly<Record<string, { readonly ok: boolean }>>
}

/** A figure of a metric; 0 when it was never measured. */
export const figure = ({ metrics }: Summary, metric: string, name: string): number => metrics[metric]?.values[name] ?? 0

/** The summary with more or less of what a counter has counted, by which the limits of its count are judged anew. */
export const adding = <Data extends Summary>(summary: Data, metric: string, difference: number): Data => {
  const counter = summary.metrics[metric]
  if (counter === undefined || difference === 0) return summary
  const count = (counter.values["count"] ?? 0) + difference
  const judged = Object.entries(counter.thresholds ?? {}).map(
    ([limit, { ok }]) => [limit, { ok: parse(limit)?.statistic === "count" ? holds(limit, { count }) : ok }] as const
  )
  const changed = {
    ...counter,
    values: { ...counter.values, count },
    ...(counter.thresholds === undefined ? {} : { thresholds: Object.fromEntries(judged) })
  }
  return { ...summary, metrics: { ...summary.metrics, [metric]: changed } }
}

/** The statistics of every trend. */
export const trendStatistics = ["min", "med", "avg", "p(90)", "p(95)", "p(99)", "max", "count"]

const line = (name: string, limit: string, metric: Metric | undefined): string => {
  const measured = metric?.values[limit.replace(/[<>=!].*/u, "").trim()] ?? 0
  const verdict = metric?.thresholds?.[limit]?.ok === true ? "ok" : "FAILED"
  return [name.padEnd(20), limit.padEnd(12), String(Number(measured.toFixed(4))).padStart(8), verdict].join("  ")
}

/** A line for every threshold. */
export const table = ({ thresholds }: Settings, { metrics }: Summary): string =>
  Object.entries(thresholds)
    .flatMap(([name, limits]) => limits.map(({ threshold }) => `${line(name, threshold, metrics[name])}\n`))
    .join("")
