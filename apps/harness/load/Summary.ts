import type { Settings } from "./Settings.ts"

/** What k6 hands over at the end. */
export interface Summary {
  readonly metrics: Readonly<Record<string, Metric>>
}

interface Metric {
  readonly values: Readonly<Record<string, number>>
  readonly thresholds?: Readonly<Record<string, { readonly ok: boolean }>>
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
