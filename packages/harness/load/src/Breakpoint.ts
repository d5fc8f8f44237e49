import { duration, number, percent } from "@webagent/cli/Text"
import { quantile } from "@webagent/statistics/Quantile"
import * as Schema from "effect/Schema"
import type { Metric } from "./K6Summary.ts"
import type { LoadPlan } from "./LoadPlan.ts"
import type { Points } from "./Points.ts"
import { parse } from "./ThresholdExpression.ts"

/** The load that a service carries, according to a breakpoint test. */
export const Breakpoint = Schema.Struct({
  /** The highest rate that it carried, in starts per second. */
  rate: Schema.Number,
  /** 95 % of the requests at about this rate took at most so long, in milliseconds; null if there were none. */
  p95_ms: Schema.NullOr(Schema.Number),
  /** The limit that the next higher load crossed; null if the test sent too little load to find one. */
  broke: Schema.NullOr(Schema.Struct({ name: Schema.String, limit: Schema.String, measured: Schema.String }))
})
export type Breakpoint = typeof Breakpoint.Type

/** A limit that can be judged in any part of a test. */
interface Limit {
  readonly metric: string
  readonly statistic: string
  readonly most: number
}

// percentiles of times, the share of failed requests, and starts that k6 could not make
const isJudged = (metric: string, statistic: string) =>
  metric === "http_req_failed" ? statistic === "rate" : metric === "dropped_iterations" || statistic.startsWith("p(")

const limitsOf = (metrics: Readonly<Record<string, Pick<Metric, "thresholds">>>): ReadonlyArray<Limit> =>
  Object.entries(metrics).flatMap(([metric, { thresholds }]) =>
    Object.keys(thresholds ?? {}).flatMap((text) => {
      const { limit, operator, statistic } = parse(text) ?? { limit: 0, operator: "", statistic: "" }
      const isUpper = operator.startsWith("<") || (operator.startsWith("=") && limit === 0)
      return isUpper && isJudged(metric, statistic) ? [{ metric, statistic, most: limit }] : []
    })
  )

/** The load is judged in this many parts. */
const parts = 40
const fewest = 20

/** The values of a metric by the part in which their work was due. */
const byPart = (points: Points, metric: string, isTime: boolean, duration_ms: number) => {
  const series = points.select(metric).filter(({ tags }) => tags.scenario !== "")
  const begin_ms = points.loadFrom_ms()
  const all = Array.from({ length: parts }, (): Array<number> => [])
  for (const { length, times, values } of series) {
    for (let index = 0; index < length; index++) {
      const value = values[index] ?? 0
      const due_ms = (times[index] ?? 0) - begin_ms - (isTime ? value : 0)
      all[Math.max(0, Math.floor((due_ms * parts) / duration_ms))]?.push(value)
    }
  }
  return all
}

const measuredOf = (values: ReadonlyArray<number>, statistic: string): number => {
  const sum = values.reduce((total, value) => total + value, 0)
  if (statistic === "count") return sum
  if (statistic === "rate") return values.length === 0 ? 0 : sum / values.length
  return quantile(Float64Array.from(values).toSorted(), Number(statistic.slice(2, -1)) / 100)
}

const textOf = (value: number, { statistic }: Limit): string =>
  statistic === "rate" ? percent(value, 2) : statistic === "count" ? number(value) : duration(value)

const brokenBy = (limit: Limit, measured: number): NonNullable<Breakpoint["broke"]> => ({
  name: `${limit.metric} ${limit.statistic}`,
  limit: limit.most === 0 ? "0" : `< ${textOf(limit.most, limit)}`,
  measured: textOf(measured, limit)
})

/**
 * Finds the breakpoint in the points of a load that grows evenly from 0. Each limit is judged in short parts of the test,
 * by the work that was due in them, because a percentile of the whole test so far crosses a limit late.
 *
 * @param points - The measured points, as `LoadRun.run` returns them.
 * @param plan - The duration in milliseconds, and the highest rate in starts per second.
 * @param metrics - The metrics of k6's summary with their thresholds.
 * @returns The highest rate that the service carried in starts per second, and the threshold that broke.
 * @example
 * ```ts
 * import * as Breakpoint from "@webagent/load/Breakpoint"
 * import type { LoadPlan } from "@webagent/load/LoadPlan"
 * import type { Outcome } from "@webagent/load/LoadRun"
 *
 * export const find = ({ points, summary }: Outcome, plan: LoadPlan) =>
 *   summary === undefined ? undefined : Breakpoint.of(points, plan, summary.metrics)
 * ```
 */
export const of = (
  points: Points,
  { duration_ms, rate }: Pick<LoadPlan, "duration_ms" | "rate">,
  metrics: Readonly<Record<string, Pick<Metric, "thresholds"> & Partial<Pick<Metric, "values">>>>
): Breakpoint => {
  const limits = limitsOf(metrics).map((limit) => {
    const isTime = limit.statistic.startsWith("p(")
    return { ...limit, isTime, values: byPart(points, limit.metric, isTime, duration_ms) }
  })
  const requests = byPart(points, "http_req_duration", true, duration_ms)
  const p95Of = (part: number) => {
    const values = requests[part] ?? []
    return values.length === 0 ? null : measuredOf(values, "p(95)")
  }
  const last = requests.findLastIndex((values) => values.length > 0)
  const waiting = limits.map(() => ({ from: 0, values: new Array<number>() }))
  for (let part = 0; part <= last; part++) {
    for (const [index, limit] of limits.entries()) {
      const { from, values } = waiting[index] ?? { from: part, values: [] }
      values.push(...(limit.values[part] ?? []))
      // one slow request among a few is no breakpoint: parts with too few are judged together
      if (limit.isTime && values.length < fewest && part < last) continue
      waiting[index] = { from: part + 1, values: [] }
      if (values.length === 0) continue
      const measured = measuredOf(values, limit.statistic)
      if (measured <= limit.most) continue
      return { rate: Math.round((rate * from) / parts), p95_ms: p95Of(from - 1), broke: brokenBy(limit, measured) }
    }
  }
  // the requests that prepare the load can cross a limit, too, and end the test before the load is measured
  for (const limit of limits) {
    const measured = limit.statistic === "rate" ? metrics[limit.metric]?.values?.[limit.statistic] : undefined
    if (measured !== undefined && measured !== null && measured > limit.most)
      return { rate: 0, p95_ms: null, broke: brokenBy(limit, measured) }
  }
  return { rate: Math.round((rate * (last + 1)) / parts), p95_ms: p95Of(last), broke: null }
}

const textOfBroken = ({ limit, measured, name }: NonNullable<Breakpoint["broke"]>): string =>
  `${name} is ${measured}, not ${limit}`

/**
 * Describes the load that a service carries:
 * `carries about 62 starts per second with p95 under 500 ms; beyond that, ...`.
 *
 * @param breakpoint - The breakpoint of a load test.
 * @param p95Limit_ms - The limit of the 95th percentile in milliseconds, if there is one.
 * @param top - The rate in starts per second that the test was to reach.
 * @returns One sentence.
 * @example
 * ```ts
 * import { text } from "@webagent/load/Breakpoint"
 *
 * const broke = { name: "http_req_duration p(95)", limit: "< 500 ms", measured: "612 ms" }
 * console.log(text({ rate: 62, p95_ms: 480, broke }, 500, 200))
 * ```
 */
export const text = ({ broke, p95_ms, rate }: Breakpoint, p95Limit_ms: number | undefined, top: number): string => {
  const under =
    p95Limit_ms === undefined
      ? p95_ms === null
        ? ""
        : ` with p95 of ${duration(p95_ms)}`
      : ` with p95 under ${duration(p95Limit_ms)}`
  if (rate === 0) return `carries none of the load: ${broke === null ? "no request was measured" : textOfBroken(broke)}`
  if (broke !== null)
    return `carries about ${number(rate)} starts per second${under}; beyond that, ${textOfBroken(broke)}`
  const most = `carries at least ${number(rate)} starts per second${under}`
  // the last parts of a test may have only work that is still running
  return rate < 0.9 * top
    ? `${most}; the test was to reach ${number(top)}, and ended early`
    : `${most}, the most that was sent. To find the breakpoint, send more: --rate ${2 * top}`
}
