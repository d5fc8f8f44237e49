import { duration, number, percent } from "@webagent/cli/Text"
import * as Schema from "effect/Schema"
import type { Style } from "@webagent/cli/Style"
import type { K6Summary, Metric } from "./K6Summary.ts"
import * as TextTable from "./TextTable.ts"
import { parse } from "./ThresholdExpression.ts"

/** A limit of a load test with what was measured, both as numbers with their units. */
export const Threshold = Schema.Struct({
  /** Its metric, and which statistic of it where it has several: `http_req_duration p(95)`. */
  name: Schema.String,
  limit: Schema.String,
  measured: Schema.String,
  ok: Schema.Boolean
})
export type Threshold = typeof Threshold.Type

const measuredOf = (value: number, { contains, type }: Metric): string => {
  if (type === "rate") return percent(value, 2)
  return contains === "time" ? duration(value) : number(value, 2)
}

const signs: Readonly<Record<string, string>> = { "==": "=", "===": "=", "!=": "≠", "<=": "≤", ">=": "≥" }

/**
 * Returns whether nothing was measured. A counter is then 0, but a percentile or a rate of nothing is within any limit.
 */
const isUnmeasured = ({ type, values }: Metric): boolean =>
  (type === "trend" && values["count"] === 0) || (type === "rate" && values["passes"] === 0 && values["fails"] === 0)

const thresholdOf = (name: string, metric: Metric, expression: string, ok: boolean): Threshold => {
  const { limit, operator, statistic } = parse(expression) ?? { limit: Number.NaN, operator: "", statistic: expression }
  const value = metric.values[statistic] ?? 0
  return {
    name: ["rate", "count", "value"].includes(statistic) ? name : `${name} ${statistic}`,
    limit: `${signs[operator] ?? operator} ${measuredOf(limit, metric)}`,
    measured: isUnmeasured(metric) ? "nothing" : measuredOf(value, metric),
    ok: ok && !isUnmeasured(metric)
  }
}

/**
 * Lists the thresholds of a load test by name. A threshold on a metric that was never measured is crossed.
 *
 * @param summary - The summary of a load test.
 * @returns The thresholds, each with its limit, the measured value and its result.
 * @example
 * ```ts
 * import type { K6Summary } from "@webagent/load/K6Summary"
 * import { all } from "@webagent/load/Threshold"
 *
 * export const crossed = (summary: K6Summary) => all(summary).filter(({ ok }) => !ok)
 * ```
 */
export const all = ({ metrics }: K6Summary): ReadonlyArray<Threshold> =>
  Object.entries(metrics)
    .flatMap(([name, metric]) =>
      Object.entries(metric.thresholds ?? {}).map(([expression, { ok }]) => thresholdOf(name, metric, expression, ok))
    )
    .toSorted((a, b) => a.name.localeCompare(b.name))

/**
 * Draws thresholds as a table for a terminal.
 *
 * @param thresholds - The thresholds of a load test.
 * @param style - Colors for the terminal, or none.
 * @returns The lines of the table.
 * @example
 * ```ts
 * import { plain } from "@webagent/cli/Style"
 * import { table } from "@webagent/load/Threshold"
 *
 * const crossed = { name: "http_req_failed", limit: "< 1 %", measured: "2.50 %", ok: false }
 * console.log(table([crossed], plain).join("\n"))
 * ```
 */
export const table = (thresholds: ReadonlyArray<Threshold>, style: Style): ReadonlyArray<string> =>
  TextTable.render(
    ["threshold", "limit", "measured", "result"],
    thresholds.map(({ limit, measured, name, ok }) => [
      name,
      limit,
      measured,
      ok ? style.good("ok") : style.bad("FAILED")
    ]),
    style
  )
