import type { Style } from "@webagent/cli/Style"
import { counted, duration, number } from "@webagent/cli/Text"
import * as Schema from "effect/Schema"
import * as Breakpoint from "./Breakpoint.ts"
import * as FailedRequests from "./FailedRequests.ts"
import { count, type K6Summary, Metric } from "./K6Summary.ts"
import { type Distribution, Measurements } from "./Measurements.ts"
import * as TextTable from "./TextTable.ts"
import * as Threshold from "./Threshold.ts"
import { parse } from "./ThresholdExpression.ts"

/** Settings of a load besides rate and duration; the script chose missing ones. */
export const WorkloadSettings = Schema.Struct({
  vus: Schema.optionalKey(Schema.Number),
  mix: Schema.optionalKey(Schema.String),
  sample: Schema.optionalKey(Schema.Number),
  task: Schema.optionalKey(Schema.String),
  run_timeout_ms: Schema.optionalKey(Schema.Number),
  profile: Schema.optionalKey(Schema.String)
})
export type WorkloadSettings = typeof WorkloadSettings.Type

/** A load test as it ran; `load-<test>.json` holds it. */
export const LoadReport = Schema.Struct({
  tool: Schema.Struct({ name: Schema.String, version: Schema.String, k6: Schema.String }),
  test: Schema.String,
  target: Schema.Struct({ name: Schema.String, address: Schema.String, simulated: Schema.Boolean }),
  startedAt: Schema.String,
  /** Runs, and as many browsers, started per second. */
  rate: Schema.Number,
  /** Time during which new work was started, in milliseconds. */
  duration_ms: Schema.Number,
  settings: Schema.Struct({
    ...WorkloadSettings.fields,
    thresholds: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Schema.String))),
    /** Processes that shared the load. */
    segments: Schema.Number
  }),
  /** Time until the last work finished, in milliseconds. */
  took_ms: Schema.Number,
  verdict: Schema.Literals(["passed", "failed", "stopped"]),
  thresholds: Schema.Array(Threshold.Threshold),
  /** From all points. */
  measurements: Measurements,
  /** Of a breakpoint test in the open model. */
  breakpoint: Schema.optionalKey(Breakpoint.Breakpoint),
  /** Number of failed requests by status. */
  failed_requests: Schema.optionalKey(FailedRequests.FailedRequests),
  /** Every metric of k6. */
  metrics: Schema.Record(Schema.String, Metric)
})
export type LoadReport = typeof LoadReport.Type

/**
 * Returns the line that says what happened:
 * `failed: checks, http_req_failed · 182 requests, 25 runs completed in 5.4 s`.
 *
 * @param report - The report of a load test.
 * @param worse - The metrics that got worse than the baseline.
 * @param style - Colors for the terminal, or none.
 * @returns One line.
 * @example
 * ```ts
 * import { plain } from "@webagent/cli/Style"
 * import { lastLine, type LoadReport } from "@webagent/load/LoadReport"
 *
 * export const print = (report: LoadReport) => console.log(lastLine(report, [], plain))
 * ```
 */
export const lastLine = (report: LoadReport, worse: ReadonlyArray<string>, style: Style): string => {
  const crossed = report.thresholds.filter(({ ok }) => !ok).map(({ name }) => name)
  const words = {
    passed: () => (worse.length === 0 ? style.good("passed") : style.bad(`worse: ${worse.join(", ")}`)),
    failed: () => style.bad(`failed: ${crossed.join(", ")}`),
    stopped: () => style.bad("stopped")
  }
  const work = [
    counted(count(report, "http_reqs"), "request"),
    `${counted(count(report, "runs_completed"), "run")} completed`,
    `${counted(count(report, "browsers_stopped"), "browser")} stopped`
  ]
  return `${words[report.verdict]()} · ${work.join(", ")} in ${duration(report.took_ms)}`
}

/**
 * Describes resources that load tests may have left running at a service that isn't stopped after them.
 *
 * @param summaries - The summaries of the load tests.
 * @param address - The address of the service.
 * @returns One line, or undefined if there are none.
 * @example
 * ```ts
 * import { leftovers, type LoadReport } from "@webagent/load/LoadReport"
 *
 * export const warn = (report: LoadReport) => {
 *   const line = leftovers([report], report.target.address)
 *   if (line !== undefined) console.warn(line)
 * }
 * ```
 */
export const leftovers = (
  summaries: ReadonlyArray<Pick<K6Summary, "metrics">>,
  address: string
): string | undefined => {
  const metrics = [
    ["browsers_leaked", "browser"],
    ["runs_lost", "run"]
  ] as const
  const parts = metrics.flatMap(([metric, noun]) => {
    const number = summaries.reduce((sum, summary) => sum + count(summary, metric), 0)
    return number > 0 ? [counted(number, noun)] : []
  })
  return parts.length === 0 ? undefined : `${parts.join(" and ")} at ${address} may still be open and cost money`
}

/** Metrics of work that was running when a test stopped: it counts as lost, whatever the service did. */
export const ofCutWork: ReadonlySet<string> = new Set(["runs_lost", "browsers_leaked"])

/** The limit on the 95th percentile of all requests, in milliseconds; undefined without one. */
const p95LimitOf = ({ metrics }: LoadReport): number | undefined =>
  Object.keys(metrics["http_req_duration"]?.thresholds ?? {})
    .map((text) => parse(text))
    .find((limit) => limit?.statistic === "p(95)")?.limit

/**
 * Lists the latencies of a report: of all requests, of each operation, and the time to a final status.
 *
 * @param report - The report of a load test.
 * @returns Pairs of a name and a distribution, whose times are in milliseconds.
 * @example
 * ```ts
 * import { latencies, type LoadReport } from "@webagent/load/LoadReport"
 *
 * export const print = (report: LoadReport) => {
 *   for (const [name, { p95 }] of latencies(report)) console.log(`${name}: p95 ${Math.round(p95)} ms`)
 * }
 * ```
 */
export const latencies = ({
  measurements
}: LoadReport): ReadonlyArray<readonly [name: string, times: Distribution]> => [
  ["all requests", measurements.requests],
  ...Object.entries(measurements.operations),
  ...(measurements.time_to_terminal === undefined
    ? []
    : [["time to terminal", measurements.time_to_terminal] as const]),
  ...(measurements.detection_delay === undefined ? [] : [["detection delay", measurements.detection_delay] as const])
]

/**
 * Returns the last lines that a load test prints: thresholds, latencies, the breakpoint, and failed requests.
 *
 * @param report - The report of a load test.
 * @param style - Colors for the terminal, or none.
 * @returns The lines to print.
 * @example
 * ```ts
 * import { coloured } from "@webagent/cli/Style"
 * import { ending, type LoadReport } from "@webagent/load/LoadReport"
 *
 * export const print = (report: LoadReport) => console.log(ending(report, coloured).join("\n"))
 * ```
 */
export const ending = (report: LoadReport, style: Style): ReadonlyArray<string> => {
  const failed = FailedRequests.text(report.failed_requests ?? [])
  const times = latencies(report).filter(([, { count }]) => count > 0)
  const cells = times.map(([name, { count, max, p50, p95, p99 }]) => [
    name,
    number(count),
    ...[p50, p95, p99, max].map((time) => duration(time))
  ])
  return [
    "",
    ...Threshold.table(report.thresholds, style),
    "",
    ...(times.length === 0
      ? []
      : [...TextTable.render(["latency", "count", "p50", "p95", "p99", "max"], cells, style), ""]),
    ...(report.breakpoint === undefined ? [] : [Breakpoint.text(report.breakpoint, p95LimitOf(report), report.rate)]),
    ...(failed === undefined ? [] : [`failed requests by status: ${failed}`])
  ]
}
