import * as Schema from "effect/Schema"
import type { Style } from "@webagent/report/Style"
import type { LoadSummary, Metric } from "./LoadSummary.ts"

/** A limit of a load test with what was measured, both as numbers with their units. */
export const Threshold = Schema.Struct({
  /** Its metric, and which figure of it where it has several: `http_req_duration p(95)`. */
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

const parse = (expression: string) => {
  const [, figure = "", operator = "", limit = ""] = /^\s*([^\s<>=!]+)\s*([<>=!]+)\s*(\S+)\s*$/u.exec(expression) ?? []
  return { figure, operator, limit }
}

const comparisons: Readonly<Record<string, (value: number, limit: number) => boolean>> = {
  "<": (value, limit) => value < limit,
  "<=": (value, limit) => value <= limit,
  ">": (value, limit) => value > limit,
  ">=": (value, limit) => value >= limit,
  "==": (value, limit) => value === limit,
  "===": (value, limit) => value === limit,
  "!=": (value, limit) => value !== limit
}

/** Whether a metric keeps to an expression such as `p(95)<50`, as k6 would judge it; one that nobody can read is crossed. */
export const holds = (expression: string, { values }: Pick<Metric, "values">): boolean => {
  const { figure, limit, operator } = parse(expression)
  return comparisons[operator]?.(values[figure] ?? 0, Number(limit)) ?? false
}

/** Whether nothing was measured. Of what is counted nothing is 0, but a percentile or a share of nothing keeps to any limit. */
const isUnmeasured = ({ type, values }: Metric): boolean =>
  (type === "trend" && values["count"] === 0) || (type === "rate" && values["passes"] === 0 && values["fails"] === 0)

const thresholdOf = (name: string, metric: Metric, expression: string, ok: boolean): Threshold => {
  const { figure, limit, operator } = parse(expression)
  const value = metric.values[figure] ?? 0
  return {
    name: ["rate", "count", "value"].includes(figure) ? name : `${name} ${figure || expression}`,
    limit: `${signs[operator] ?? operator} ${measuredOf(Number(limit), metric).replace(/\.0+ /u, " ")}`,
    measured: isUnmeasured(metric) ? "nothing" : measuredOf(value, metric),
    ok: ok && !isUnmeasured(metric)
  }
}

/** Every threshold of a load test, in the order of their names; one on what was never measured is crossed. */
export const all = ({ metrics }: LoadSummary): ReadonlyArray<Threshold> =>
  Object.entries(metrics)
    .flatMap(([name, metric]) =>
      Object.entries(metric.thresholds ?? {}).map(([expression, { ok }]) => thresholdOf(name, metric, expression, ok))
    )
    .toSorted((a, b) => a.name.localeCompare(b.name))

/** The table that a person reads, a line each, with its heading. */
export const table = (thresholds: ReadonlyArray<Threshold>, style: Style): ReadonlyArray<string> => {
  const width = (key: "name" | "limit" | "measured", least: number) =>
    Math.max(least, ...thresholds.map((threshold) => threshold[key].length)) + 2
  const row = (name: string, limit: string, measured: string, verdict: string) =>
    `${name.padEnd(width("name", 24))}${limit.padEnd(width("limit", 8))}${measured.padEnd(width("measured", 10))}${verdict}`
  return [
    style.faint(row("threshold", "limit", "measured", "").trimEnd()),
    ...thresholds.map(({ limit, measured, name, ok }) =>
      row(name, limit, measured, ok ? style.good("ok") : style.bad("FAILED"))
    )
  ]
}
