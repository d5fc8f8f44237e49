import { counted, duration } from "@webagent/report/Text"
import * as Chart from "./Chart.ts"
import type { Spread } from "./Figures.ts"
import type { LoadReport, Shape } from "./LoadReport.ts"
import * as Page from "./Page.ts"
import * as Refusals from "./Refusals.ts"
import type { Quantiles, TimeSeries } from "./TimeSeries.ts"

const { escape } = Chart
const { number, percent, table, time } = Page

const sentence = (report: LoadReport): string => {
  const crossed = report.thresholds.filter(({ ok }) => !ok)
  if (report.verdict === "stopped") return `<b class="bad">Stopped by hand</b>: what had been measured until then.`
  if (report.verdict === "passed") {
    return `<b class="good">Passed</b>: ${counted(report.thresholds.length, "threshold")} held.`
  }
  return `<b class="bad">Failed</b>: ${crossed.map(({ limit, measured, name }) => escape(`${name} was ${measured}, limit ${limit}`)).join("; ")}.`
}

/** What shaped a load, as a page shows it. */
export const shapeOf = (
  rate: number,
  { mix, profile, run_timeout_ms, sample, task, vus }: Shape
): ReadonlyArray<readonly [string, string]> => [
  ["model", vus === undefined ? `open: ${counted(rate, "start")} a second` : `closed: ${counted(vus, "virtual user")}`],
  ...(mix === undefined ? [] : [["mix", mix] as const]),
  ...(profile === undefined ? [] : [["profile", profile] as const]),
  ...(task === undefined ? [] : [["task", task] as const]),
  ...(run_timeout_ms === undefined ? [] : [["waits for a run", duration(run_timeout_ms)] as const]),
  ...(sample === undefined ? [] : [["decoded", percent(sample)] as const])
]

const settings = (report: LoadReport): ReadonlyArray<readonly [string, string]> => {
  const { address, name, simulated } = report.target
  const { segments } = report.settings
  return [
    ["target", `${name === address ? "" : `${name}, `}${address}${simulated ? "" : " (not simulated)"}`],
    ...shapeOf(report.rate, report.settings),
    ["new work for", duration(report.duration_ms)],
    ["took", duration(report.took_ms)],
    ["began", `${report.startedAt.slice(0, 19).replace("T", " ")} UTC`],
    ...(segments === 1 ? [] : [["processes", String(segments)] as const]),
    ["k6", report.tool.k6]
  ]
}

const spreadRow = (name: string, { count, max, p50, p95, p99 }: Spread): ReadonlyArray<string> => [
  name,
  number(count),
  ...[p50, p95, p99, max].map(time)
]

const quantileChart = (title: string, { p50, p95, p99 }: Quantiles, step_ms: number): string =>
  Chart.render({
    title,
    step_ms,
    format: time,
    lines: [
      { label: "p50", values: p50 },
      { label: "p95", values: p95 },
      { label: "p99", values: p99 }
    ]
  })

const isMeasured = ({ p50 }: Quantiles) => p50.some((value) => value !== null)

const charts = (series: TimeSeries): ReadonlyArray<string> => {
  const { dropped, errors, operations, requests, step_ms } = series
  const [all] = operations
  const perSecond = (value: number) => `${number(value)}/s`
  return [
    ...(all === undefined ? [] : [quantileChart("Time for a request", all.ms, step_ms)]),
    Chart.render({
      title: "Requests, and starts that could not be made",
      step_ms,
      format: perSecond,
      lines: [
        { label: "requests", values: requests },
        { label: "dropped starts", values: dropped }
      ]
    }),
    Chart.render({
      title: "Failed requests",
      step_ms,
      format: percent,
      atLeast: 0.01,
      lines: [{ label: "failed", values: errors }]
    }),
    ...(isMeasured(series.time_to_terminal)
      ? [quantileChart("Time to terminal", series.time_to_terminal, step_ms)]
      : []),
    ...(isMeasured(series.detection_delay) ? [quantileChart("Detection delay", series.detection_delay, step_ms)] : [])
  ]
}

/** The page of a load test: one file, no script, nothing from elsewhere. `dashboard` is the file name of k6's own page. */
export const render = (report: LoadReport, series: TimeSeries, dashboard: string | undefined): string => {
  const { detection_delay, errors, operations, requests, throughput, time_to_terminal } = report.figures
  const refused = Refusals.text(report.refusals ?? [])
  const failed = `${percent(errors)} of the requests failed${refused === undefined ? "" : `, with ${refused}`}`
  const title = `Load test ${report.test}`
  const rows = [
    spreadRow("all requests", requests),
    ...Object.entries(operations).map(([name, spread]) => spreadRow(name, spread)),
    ...(time_to_terminal === undefined ? [] : [spreadRow("time to terminal", time_to_terminal)]),
    ...(detection_delay === undefined ? [] : [spreadRow("detection delay", detection_delay)])
  ]
  const thresholds = report.thresholds.map(({ limit, measured, name, ok }) => [
    name,
    escape(limit),
    escape(measured),
    ok ? `<span class="good">ok</span>` : `<b class="bad">FAILED</b>`
  ])
  const byOperation = series.operations.slice(1).map(({ ms, name }) => quantileChart(name, ms, series.step_ms))
  return Page.render({
    title: `${title}: ${report.verdict}`,
    header: `<h1>${escape(title)}</h1><p>${sentence(report)}</p>
<p class="faint">${number(throughput)} good answers a second, ${escape(failed)}, ${duration(report.took_ms)} in all.</p>`,
    main: `<div class="tables"><section><h2>Thresholds</h2>${table(["threshold", "limit", "measured", "held"], thresholds)}</section>
<section class="settings"><h2>Settings</h2>${table(
      ["setting", "value"],
      settings(report).map(([name, value]) => [name, escape(value)])
    )}</section></div>
<h2>Over time</h2><p class="faint">Minutes and seconds since the first point; each figure is of ${duration(series.step_ms)}.</p>
<div class="charts">${charts(series).join("\n")}</div>
<h2>Times</h2>${table(["what", "count", "p50", "p95", "p99", "max"], rows)}
<h2>By operation, over time</h2><div class="charts">${byOperation.join("\n")}</div>`,
    footer: `${dashboard === undefined ? "" : `<a href="${escape(encodeURI(dashboard))}">k6's own page</a> · `}${escape(`${report.tool.name} ${report.tool.version}`)}`
  })
}
