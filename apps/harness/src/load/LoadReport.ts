import * as Schema from "effect/Schema"
import { type Style } from "@webagent/report/Style"
import { counted, duration } from "@webagent/report/Text"
import { Figures } from "./Figures.ts"
import { count, type LoadSummary, Metric } from "./LoadSummary.ts"
import * as Refusals from "./Refusals.ts"
import * as Threshold from "./Threshold.ts"

/** What shapes a load beside rate and duration; what is missing was the script's own choice. */
export const Shape = Schema.Struct({
  vus: Schema.optionalKey(Schema.Number),
  mix: Schema.optionalKey(Schema.String),
  sample: Schema.optionalKey(Schema.Number),
  task: Schema.optionalKey(Schema.String),
  run_timeout_ms: Schema.optionalKey(Schema.Number),
  profile: Schema.optionalKey(Schema.String)
})
export type Shape = typeof Shape.Type

/** A load test as it ran; `load-<test>.json` holds it. */
export const LoadReport = Schema.Struct({
  tool: Schema.Struct({ name: Schema.String, version: Schema.String, k6: Schema.String }),
  test: Schema.String,
  target: Schema.Struct({ name: Schema.String, address: Schema.String, simulated: Schema.Boolean }),
  startedAt: Schema.String,
  /** Runs, and as many browsers, started per second. */
  rate: Schema.Number,
  /** How long new work was started. */
  duration_ms: Schema.Number,
  settings: Schema.Struct({
    ...Shape.fields,
    thresholds: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Schema.String))),
    /** Processes that shared the load. */
    segments: Schema.Number
  }),
  /** How long it was until the last of it had ended. */
  took_ms: Schema.Number,
  verdict: Schema.Literals(["passed", "failed", "stopped"]),
  thresholds: Schema.Array(Threshold.Threshold),
  /** From all points. */
  figures: Figures,
  /** With what status requests failed, and how many. */
  refusals: Schema.optionalKey(Refusals.Refusals),
  /** Every metric of k6. */
  metrics: Schema.Record(Schema.String, Metric)
})
export type LoadReport = typeof LoadReport.Type

/** The line that says what happened: `failed: checks, http_req_failed · 182 requests, 25 runs completed in 5.4 s`. */
export const verdict = (report: LoadReport, style: Style): string => {
  const crossed = report.thresholds.filter(({ ok }) => !ok).map(({ name }) => name)
  const words = {
    passed: () => style.good("passed"),
    failed: () => style.bad(`failed: ${crossed.join(", ")}`),
    stopped: () => style.bad("stopped by hand")
  }
  const work = [
    counted(count(report, "http_reqs"), "request"),
    `${counted(count(report, "runs_completed"), "run")} completed`,
    `${counted(count(report, "browsers_stopped"), "browser")} stopped`
  ]
  return `${words[report.verdict]()} · ${work.join(", ")} in ${duration(report.took_ms)}`
}

/** What load tests have left behind at a service that lives on, in one line; undefined when there is nothing. */
export const leftovers = (
  summaries: ReadonlyArray<Pick<LoadSummary, "metrics">>,
  address: string
): string | undefined => {
  const left = [
    ["browsers_leaked", "browser"],
    ["runs_lost", "run"]
  ] as const
  const parts = left.flatMap(([metric, noun]) => {
    const number = summaries.reduce((sum, summary) => sum + count(summary, metric), 0)
    return number > 0 ? [counted(number, noun)] : []
  })
  return parts.length === 0 ? undefined : `${parts.join(" and ")} may go on at ${address}, and cost`
}

/**
 * How many starts a second there were when a breakpoint test ended itself: they grow evenly, so their number says how far it
 * had come. Undefined for any other test, and where it went to its end.
 */
const breakpoint = (report: LoadReport): string | undefined => {
  const { duration_ms, rate, settings, test, took_ms, verdict } = report
  if (test !== "breakpoint" || verdict !== "failed" || settings.vus !== undefined || took_ms >= duration_ms)
    return undefined
  const starts = count(report, "iterations") + count(report, "dropped_iterations")
  return `gave way at about ${Math.round(Math.sqrt((2000 * rate * starts) / duration_ms))} starts a second`
}

/** What a person reads at the end. */
export const ending = (report: LoadReport, style: Style): ReadonlyArray<string> => {
  const gaveWay = breakpoint(report)
  const refused = Refusals.text(report.refusals ?? [])
  return [
    "",
    ...Threshold.table(report.thresholds, style),
    "",
    verdict(report, style),
    ...(gaveWay === undefined ? [] : [gaveWay]),
    ...(refused === undefined ? [] : [`refused  ${refused}`])
  ]
}
