import { duration, number, percent } from "@webagent/cli/Text"
import type { Distribution, Measurements } from "./Measurements.ts"

/** A measurement by which two loads are compared. */
export interface ComparedMetric {
  readonly name: string
  /** The direction of an improvement. */
  readonly better: "lower" | "higher"
  /**
   * Reads the metric from the measurements of a load. Times are in milliseconds.
   *
   * @param measurements - The measurements of one load.
   * @returns The value. Undefined if too few requests were measured.
   * @example
   * ```ts
   * import { times } from "@webagent/load/ComparedMetric"
   * import type { Measurements } from "@webagent/load/Measurements"
   *
   * export const values = (measurements: Measurements) => times.map(({ name, of }) => [name, of(measurements)])
   * ```
   */
  readonly of: (measurements: Measurements) => number | undefined
  /**
   * Formats a value with its unit.
   *
   * @param value - A value of the metric.
   * @returns The value as text, such as `12/s` or `480 ms`.
   * @example
   * ```ts
   * import { throughput } from "@webagent/load/ComparedMetric"
   *
   * console.log(throughput.format(12)) // 12/s
   * ```
   */
  readonly format: (value: number) => string
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
      const times = distributionOf(measurements)
      return times === undefined || times.count < least || times[percentile] <= 0 ? undefined : times[percentile]
    },
    format: duration
  }))
)

/** Successful requests a second. */
export const throughput: ComparedMetric = {
  name: "throughput",
  better: "higher",
  of: ({ throughput }) => (throughput > 0 ? throughput : undefined),
  format: (perSecond) => `${number(perSecond)}/s`
}

const share = (value: number) => percent(value, 2)

/** Shares that may be 0 and so have no ratio: failed requests, work that did not end as expected. */
export const shares: ReadonlyArray<ComparedMetric> = [
  { name: "errors", better: "lower", of: ({ errors }) => errors, format: share },
  { name: "unfinished", better: "lower", of: ({ unfinished }) => unfinished, format: share }
]
