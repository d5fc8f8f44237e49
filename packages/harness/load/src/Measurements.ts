import * as Schema from "effect/Schema"
import { quantile } from "@webagent/statistics/Quantile"
import type { Points, Tags } from "./Points.ts"

/** A distribution of times, in milliseconds. */
export const Distribution = Schema.Struct({
  count: Schema.Number,
  p50: Schema.Number,
  p95: Schema.Number,
  p99: Schema.Number,
  max: Schema.Number
})
export type Distribution = typeof Distribution.Type

/** Measurements of a load test, as one number each. */
export const Measurements = Schema.Struct({
  /** Successful requests a second, over the time in which there were any. */
  throughput: Schema.Number,
  /** The share of requests that failed. */
  errors: Schema.Number,
  /** The share of runs, sessions and browsers that did not end as expected, of all that were requested. */
  unfinished: Schema.optionalKey(Schema.Number),
  requests: Distribution,
  /** Requests by operation. */
  operations: Schema.Record(Schema.String, Distribution),
  time_to_terminal: Schema.optionalKey(Distribution),
  detection_delay: Schema.optionalKey(Distribution)
})
export type Measurements = typeof Measurements.Type

const distributionOf = (values: Float64Array): Distribution => {
  const sorted = values.toSorted()
  // a page and a baseline hold numbers only
  if (sorted.length === 0) return { count: 0, p50: 0, p95: 0, p99: 0, max: 0 }
  return {
    count: sorted.length,
    p50: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    p99: quantile(sorted, 0.99),
    max: sorted.at(-1) ?? 0
  }
}

/**
 * Summarizes the points of one k6 process or of several. Percentiles are computed from all points, never from other
 * percentiles.
 *
 * @param points - The measured points, as `LoadRun.run` returns them.
 * @returns The throughput in requests per second, shares from 0 to 1, and percentiles in milliseconds.
 * @example
 * ```ts
 * import type { Outcome } from "@webagent/load/LoadRun"
 * import * as Measurements from "@webagent/load/Measurements"
 *
 * export const p95_ms = ({ points }: Outcome) => Measurements.of(points).requests.p95
 * ```
 */
export const of = (points: Points): Measurements => {
  const spread = (metric: string, tags?: Partial<Tags>) => distributionOf(points.values(metric, tags))
  const optional = (metric: "time_to_terminal" | "detection_delay") =>
    points.select(metric).length === 0 ? {} : { [metric]: spread(metric) }
  // each ended piece of work counts itself, or nothing
  const ends = ["runs_completed", "browsers_stopped"].flatMap((metric) => [...points.values(metric)])
  const [requests, failed] = [points.sum("http_reqs"), points.sum("http_req_failed")]
  const names = [...new Set(points.select("http_req_duration").map(({ tags }) => tags.name))].toSorted()
  return {
    throughput: points.last_ms() === 0 ? 0 : ((requests - failed) * 1000) / points.last_ms(),
    errors: requests === 0 ? 0 : failed / requests,
    ...(ends.length === 0 ? {} : { unfinished: ends.filter((end) => end === 0).length / ends.length }),
    requests: spread("http_req_duration"),
    operations: Object.fromEntries(names.map((name) => [name, spread("http_req_duration", { name })])),
    ...optional("time_to_terminal"),
    ...optional("detection_delay")
  }
}
