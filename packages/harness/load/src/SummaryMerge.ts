import { quantile } from "@webagent/statistics/Quantile"
import type { K6Summary, Metric } from "./K6Summary.ts"
import type { Points, Tags } from "./Points.ts"
import { holds } from "./ThresholdExpression.ts"

const kept = ["name", "scenario", "status", "expected_response"] as const

/** A metric's name and the tags behind it: `http_req_duration{name:v4.getRun}`; undefined when a tag is not kept. */
const parse = (name: string): { readonly metric: string; readonly tags: Partial<Tags> } | undefined => {
  const [, metric = name, inside = ""] = /^([^{]+)\{(.*)\}$/u.exec(name) ?? []
  const pairs = inside === "" ? [] : inside.split(",").map((pair) => pair.split(":").map((text) => text.trim()))
  const tags: { -readonly [Tag in keyof Tags]?: string } = {}
  for (const [tag, ...value] of pairs) {
    const name = kept.find((each) => each === tag)
    if (name === undefined) return undefined
    tags[name] = value.join(":").replaceAll(/^["']|["']$/gu, "")
  }
  return { metric, tags }
}

const trend = (values: Float64Array, measurements: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const sorted = values.toSorted()
  const figure = (name: string): number => {
    const percent = /^p\((.+)\)$/u.exec(name)?.[1]
    if (percent !== undefined) return quantile(sorted, Number(percent) / 100)
    if (name === "count") return sorted.length
    if (name === "avg") return sorted.reduce((sum, value) => sum + value, 0) / sorted.length
    return quantile(sorted, { min: 0, med: 0.5, max: 1 }[name] ?? Number.NaN)
  }
  return Object.fromEntries(measurements.map((name) => [name, sorted.length === 0 ? 0 : figure(name)]))
}

/** Combines the values of all processes; undefined if aggregates alone don't suffice. */
const together = (metrics: ReadonlyArray<Metric>, name: string, points: Points) => {
  const total = (figure: string) => metrics.reduce((sum, { values }) => sum + (values[figure] ?? 0), 0)
  const type = metrics[0]?.type
  if (type === "counter") return { count: total("count"), rate: total("rate") }
  if (type === "rate") {
    const [passes, fails] = [total("passes"), total("fails")]
    return { passes, fails, rate: passes + fails === 0 ? 0 : passes / (passes + fails) }
  }
  if (type === "gauge") return { value: total("value"), min: total("min"), max: total("max") }
  const parsed = parse(name)
  if (points.lost() > 0 || parsed === undefined || points.select(parsed.metric).length === 0) return undefined
  return trend(points.values(parsed.metric, parsed.tags), Object.keys(metrics[0]?.values ?? {}))
}

/**
 * A metric without its points: no figure of the parts is that of all, but each that a limit can name lies between theirs.
 * So a limit that held in every part holds, and the part that is shown is one in which a limit was crossed, if any.
 */
const byParts = (metrics: ReadonlyArray<Metric>): Metric | undefined => {
  const crossed = metrics.find(({ thresholds = {} }) => Object.values(thresholds).some(({ ok }) => !ok))
  const shown = crossed ?? metrics.find(({ thresholds }) => thresholds !== undefined)
  if (shown === undefined) return undefined
  const judged = Object.keys(shown.thresholds ?? {}).map((expression) => {
    return [expression, { ok: metrics.every(({ thresholds }) => thresholds?.[expression]?.ok !== false) }] as const
  })
  return { ...shown, thresholds: Object.fromEntries(judged) }
}

/**
 * The summary of a load that several processes shared: counts are added up, and every percentile is that of all points
 * together. Thresholds are judged again; one that made a process abort the test stays crossed, whatever the other processes
 * measured. A metric whose points are not kept is left out, or, with a threshold, judged by its parts.
 */
export const merge = (
  summaries: ReadonlyArray<K6Summary>,
  points: Points,
  aborted: ReadonlyArray<K6Summary> = []
): K6Summary => {
  const names = [...new Set(summaries.flatMap(({ metrics }) => Object.keys(metrics)))]
  const merged = names.flatMap((name): ReadonlyArray<readonly [string, Metric]> => {
    const metrics = summaries.flatMap((summary) => summary.metrics[name] ?? [])
    const [first] = metrics
    const values = together(metrics, name, points)
    if (first === undefined) return []
    if (values === undefined) {
      const metric = byParts(metrics)
      return metric === undefined ? [] : [[name, metric]]
    }
    const { contains, type } = first
    const expressions = [...new Set(metrics.flatMap(({ thresholds = {} }) => Object.keys(thresholds)))]
    const metric = { type, contains, values }
    if (expressions.length === 0) return [[name, metric]]
    const thresholds = Object.fromEntries(
      expressions.map((expression) => {
        const isAborted = aborted.some(({ metrics }) => metrics[name]?.thresholds?.[expression]?.ok === false)
        return [expression, { ok: !isAborted && holds(expression, metric.values) }]
      })
    )
    return [[name, { ...metric, thresholds }]]
  })
  return {
    state: { testRunDurationMs: Math.max(...summaries.map(({ state }) => state.testRunDurationMs)) },
    metrics: Object.fromEntries(merged)
  }
}
