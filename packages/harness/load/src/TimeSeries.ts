import * as Schema from "effect/Schema"
import { quantile } from "@webagent/statistics/Quantile"
import type { Points, Series, Tags } from "./Points.ts"

const Line = Schema.Array(Schema.NullOr(Schema.Number))

/** A figure for each time step; null if nothing was measured. */
export type Line = typeof Line.Type

const Quantiles = Schema.Struct({ p50: Line, p95: Line, p99: Line })

/** Percentiles of each time step. */
export type Quantiles = typeof Quantiles.Type

/** A load test over time, in steps of equal length. */
export const TimeSeries = Schema.Struct({
  /** Length of a step. */
  step_ms: Schema.Number,
  /** Finished requests per second. */
  requests: Line,
  /** Share of failed requests. */
  errors: Line,
  /** Starts per second that k6 could not make in time. */
  dropped: Line,
  /** Time for a request, by operation; the first is of all. */
  operations: Schema.Array(Schema.Struct({ name: Schema.String, ms: Quantiles })),
  /** Time from the scheduled start of a run until the client saw its final status. */
  time_to_terminal: Quantiles,
  /** Time from the end of a run until the client saw it. */
  detection_delay: Quantiles
})
export type TimeSeries = typeof TimeSeries.Type

// enough for a screen
const most = 240
const steps_s = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600]

/**
 * Returns the shortest step with which a chart isn't crowded.
 *
 * @param length_ms - The length of the load in milliseconds.
 * @returns The step in milliseconds.
 * @example
 * ```ts
 * import { stepOf } from "@webagent/load/TimeSeries"
 *
 * console.log(stepOf(60_000), stepOf(3_600_000)) // 1000 15000
 * ```
 */
export const stepOf = (length_ms: number): number =>
  1000 * (steps_s.find((step) => length_ms / 1000 / step <= most) ?? Math.ceil(length_ms / 1000 / most))

const bucketsOf = (chosen: ReadonlyArray<Series>, step_ms: number, count: number) => {
  const buckets = Array.from({ length: count }, (): Array<number> => [])
  for (const { length, times, values } of chosen) {
    for (let index = 0; index < length; index++) {
      buckets[Math.floor((times[index] ?? 0) / step_ms)]?.push(values[index] ?? 0)
    }
  }
  return buckets
}

const sumOf = (numbers: ReadonlyArray<number>) => numbers.reduce((sum, number) => sum + number, 0)

const rounded = (value: number) => Math.round(value * 1000) / 1000

/**
 * Returns the measurements over time, for charts.
 *
 * @param points - The measured points, as `LoadRun.run` returns them.
 * @returns The values of each metric in each step.
 * @example
 * ```ts
 * import type { Outcome } from "@webagent/load/LoadRun"
 * import * as TimeSeries from "@webagent/load/TimeSeries"
 *
 * export const peak = ({ points }: Outcome) =>
 *   Math.max(...TimeSeries.of(points).requests.map((perSecond) => perSecond ?? 0))
 * ```
 */
export const of = (points: Points): TimeSeries => {
  const step_ms = stepOf(points.last_ms())
  const count = Math.floor(points.last_ms() / step_ms) + 1
  const buckets = (metric: string, tags?: Partial<Tags>) => bucketsOf(points.select(metric, tags), step_ms, count)
  const perSecond = (metric: string): Line =>
    buckets(metric).map((numbers) => rounded((sumOf(numbers) * 1000) / step_ms))
  const quantiles = (metric: string, tags?: Partial<Tags>): Quantiles => {
    const sorted = buckets(metric, tags).map((numbers) => Float64Array.from(numbers).toSorted())
    const at = (share: number): Line =>
      sorted.map((numbers) => (numbers.length === 0 ? null : rounded(quantile(numbers, share))))
    return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
  }
  const names = [...new Set(points.select("http_req_duration").map(({ tags }) => tags.name))].toSorted()
  return {
    step_ms,
    requests: perSecond("http_reqs"),
    errors: buckets("http_req_failed").map((failed) =>
      failed.length === 0 ? null : rounded(sumOf(failed) / failed.length)
    ),
    dropped: perSecond("dropped_iterations"),
    operations: [
      { name: "all requests", ms: quantiles("http_req_duration") },
      ...names.map((name) => ({ name, ms: quantiles("http_req_duration", { name }) }))
    ],
    time_to_terminal: quantiles("time_to_terminal"),
    detection_delay: quantiles("detection_delay")
  }
}
