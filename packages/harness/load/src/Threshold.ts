import * as Schema from "effect/Schema"
import type { Style } from "@webagent/report/Style"
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

const decimals = (value: number, digits: number) =>
  value.toLocaleString("en-US", { maximumFractionDigits: digits, minimumFractionDigits: digits })

const measuredOf = (value: number, { contains, type }: Metric): string => {
  if (type === "rate") return `${decimals(value * 100, 2)} %`
  if (contains !== "time") return decimals(value, Number.isInteger(value) ? 0 : 2)
  return value < 1000 ? `${decimals(value, 1)} ms` : `${decimals(value / 1000, 2)} s`
}

const signs: Readonly<Record<string, string>> = { "==": "=", "===": "=", "!=": "≠", "<=": "≤", ">=": "≥" }

/** Whether nothing was measured. A counter is then 0, but a percentile or a rate of nothing is within any limit. */
const isUnmeasured = ({ type, values }: Metric): boolean =>
  (type === "trend" && values["count"] === 0) || (type === "rate" && values["passes"] === 0 && values["fails"] === 0)

const thresholdOf = (name: string, metric: Metric, expression: string, ok: boolean): Threshold => {
  const { limit, operator, statistic } = parse(expression) ?? { limit: Number.NaN, operator: "", statistic: expression }
  const value = metric.values[statistic] ?? 0
  return {
    name: ["rate", "count", "value"].includes(statistic) ? name : `${name} ${statistic}`,
    limit: `${signs[operator] ?? operator} ${measuredOf(limit, metric).replace(/\.0+ /u, " ")}`,
    measured: isUnmeasured(metric) ? "nothing" : measuredOf(value, metric),
    ok: ok && !isUnmeasured(metric)
  }
}

/** Every threshold of a load test by name; one on a metric that was never measured is crossed. */
export const all = ({ metrics }: K6Summary): ReadonlyArray<Threshold> =>
  Object.entries(metrics)
    .flatMap(([name, metric]) =>
      Object.entries(metric.thresholds ?? {}).map(([expression, { ok }]) => thresholdOf(name, metric, expression, ok))
    )
    .toSorted((a, b) => a.name.localeCompare(b.name))

/** The table that a person reads. */
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
