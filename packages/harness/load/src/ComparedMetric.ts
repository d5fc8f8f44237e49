import type { Distribution, Measurements } from "./Measurements.ts"

/** A measurement by which two loads are compared. */
export interface ComparedMetric {
  readonly name: string
  /** Which direction is an improvement. */
  readonly better: "lower" | "higher"
  /** Undefined where too little was measured for it. */
  readonly of: (measurements: Measurements) => number | undefined
  readonly format: (value: number) => string
}

/** A time for a person: `0.4 ms`, `41 ms`, `1.31 s`. */
export const time = (value_ms: number): string => {
  if (value_ms < 10) return `${value_ms.toFixed(1)} ms`
  return value_ms < 1000 ? `${Math.round(value_ms)} ms` : `${(value_ms / 1000).toFixed(2)} s`
}

const distributions: ReadonlyArray<readonly [name: string, of: (all: Measurements) => Distribution | undefined]> = [
  ["time to terminal", ({ time_to_terminal }) => time_to_terminal],
  ["request", ({ requests }) => requests]
]

// of fewer points the percentile is the slowest of them
const percentiles = [
  ["p50", 10],
  ["p95", 20],
  ["p99", 100]
] as const

/** Percentiles of the times. */
export const times: ReadonlyArray<ComparedMetric> = distributions.flatMap(([name, distributionOf]) =>
  percentiles.map(([percentile, least]) => ({
    name: `${name} ${percentile}`,
    better: "lower" as const,
    of: (measurements: Measurements) => {
      const found = distributionOf(measurements)
      return found === undefined || found.count < least || found[percentile] <= 0 ? undefined : found[percentile]
    },
    format: time
  }))
)

/** Successful requests a second. */
export const throughput: ComparedMetric = {
  name: "throughput",
  better: "higher",
  of: ({ throughput }) => (throughput > 0 ? throughput : undefined),
  format: (perSecond) => `${perSecond.toFixed(1)}/s`
}

const percent = (share: number) => `${(share * 100).toFixed(2)} %`

/** Shares that may be 0 and so have no ratio: failed requests, work that did not end as expected. */
export const shares: ReadonlyArray<ComparedMetric> = [
  { name: "errors", better: "lower", of: ({ errors }) => errors, format: percent },
  { name: "unfinished", better: "lower", of: ({ unfinished }) => unfinished, format: percent }
]
