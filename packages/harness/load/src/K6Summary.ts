import * as Schema from "effect/Schema"

/** One metric of k6. A threshold is an expression such as `rate<0.01`, with whether it held. */
export const Metric = Schema.Struct({
  type: Schema.String,
  contains: Schema.String,
  values: Schema.Record(Schema.String, Schema.NullOr(Schema.Number)),
  thresholds: Schema.optionalKey(Schema.Record(Schema.String, Schema.Struct({ ok: Schema.Boolean })))
})
export type Metric = typeof Metric.Type

/** The part of a load test's summary that is used; k6 writes more into it. */
export const K6Summary = Schema.Struct({
  state: Schema.Struct({ testRunDurationMs: Schema.Number }),
  metrics: Schema.Record(Schema.String, Metric)
})
export type K6Summary = typeof K6Summary.Type

/**
 * Returns the value of a counter; 0 if nothing was counted.
 *
 * @param summary - The summary of a load test.
 * @param metric - The name of the counter, such as `runs_completed`.
 * @returns The value.
 * @example
 * ```ts
 * import { count } from "@webagent/load/K6Summary"
 * import type { Outcome } from "@webagent/load/LoadRun"
 *
 * export const completed = ({ summary }: Outcome) => (summary === undefined ? 0 : count(summary, "runs_completed"))
 * ```
 */
export const count = ({ metrics }: Pick<K6Summary, "metrics">, metric: string): number =>
  metrics[metric]?.values["count"] ?? 0
