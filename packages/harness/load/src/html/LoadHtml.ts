import { counted, duration, moment, number, percent } from "@webagent/cli/Text"
import { escape } from "@webagent/cli/Xml"
import * as FailedRequests from "../FailedRequests.ts"
import { latencies, type LoadReport, type WorkloadSettings } from "../LoadReport.ts"
import type { Quantiles, TimeSeries } from "../TimeSeries.ts"
import { render as renderPage, table } from "./HtmlPage.ts"
import * as LineChart from "./LineChart.ts"

const share = (value: number) => percent(value, 2)

const sentence = (report: LoadReport): string => {
  const crossed = report.thresholds.filter(({ ok }) => !ok)
  if (report.verdict === "stopped") return `<b class="bad">Stopped</b>: the results are of a part.`
  if (report.verdict === "passed") {
    return `<b class="good">Passed</b>: ${counted(report.thresholds.length, "threshold")} held.`
  }
  return `<b class="bad">Failed</b>: ${crossed.map(({ limit, measured, name }) => escape(`${name} was ${measured}, limit ${limit}`)).join("; ")}.`
}

/**
 * Formats the service of a report for a page.
 *
 * @param target - The service of a report.
 * @returns The name and the address as text.
 * @example
 * ```ts
 * import { targetOf } from "@webagent/load/html/LoadHtml"
 *
 * console.log(targetOf({ name: "staging", address: "https://agents.example.com", simulated: false }))
 * ```
 */
export const targetOf = ({ address, name, simulated }: LoadReport["target"]) =>
  `${name === address ? "" : `${name}, `}${address}${simulated ? "" : " (not simulated)"}`

/**
 * Lists the settings of a load for a page.
 *
 * @param rate - Starts per second.
 * @param settings - The mix, the profile, the timeout and other settings.
 * @returns Rows of a name and a value.
 * @example
 * ```ts
 * import { workloadOf } from "@webagent/load/html/LoadHtml"
 *
 * for (const [name, value] of workloadOf(5, { mix: "runs=1" })) console.log(name, value)
 * ```
 */
export const workloadOf = (
  rate: number,
  { mix, profile, run_timeout_ms, sample, task, vus }: WorkloadSettings
): ReadonlyArray<readonly [string, string]> => [
  [
    "model",
    vus === undefined ? `open: ${counted(rate, "start")} per second` : `closed: ${counted(vus, "virtual user")}`
  ],
  ...(mix === undefined ? [] : [["mix", mix] as const]),
  ...(profile === undefined ? [] : [["profile", profile] as const]),
  ...(task === undefined ? [] : [["task", task] as const]),
  ...(run_timeout_ms === undefined ? [] : [["run timeout", duration(run_timeout_ms)] as const]),
  ...(sample === undefined ? [] : [["responses checked", share(sample)] as const])
]

const settings = (report: LoadReport): ReadonlyArray<readonly [string, string]> => [
  ["target", targetOf(report.target)],
  ...workloadOf(report.rate, report.settings),
  ["duration", duration(report.duration_ms)],
  ["until the last work ended", duration(report.took_ms)],
  ["started", moment(report.startedAt)],
  ...(report.settings.segments === 1 ? [] : [["processes", String(report.settings.segments)] as const]),
  ["k6", report.tool.k6]
]

const quantileChart = (title: string, { p50, p95, p99 }: Quantiles, step_ms: number): string =>
  LineChart.render({
    title,
    step_ms,
    format: duration,
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
  const perSecond = (value: number) => `${number(value, 2)}/s`
  return [
    ...(all === undefined ? [] : [quantileChart("Request latency", all.ms, step_ms)]),
    LineChart.render({
      title: "Requests and dropped starts",
      step_ms,
      format: perSecond,
      lines: [
        { label: "requests", values: requests },
        { label: "dropped starts", values: dropped }
      ]
    }),
    LineChart.render({
      title: "Failed requests",
      step_ms,
      format: share,
      atLeast: 0.01,
      lines: [{ label: "failed", values: errors }]
    }),
    ...(isMeasured(series.time_to_terminal)
      ? [quantileChart("Time to terminal", series.time_to_terminal, step_ms)]
      : []),
    ...(isMeasured(series.detection_delay) ? [quantileChart("Detection delay", series.detection_delay, step_ms)] : [])
  ]
}

/**
 * Renders the page of a load test: one file without scripts or external resources.
 *
 * @param report - The report of a load test.
 * @param series - The measurements over time.
 * @param dashboard - The file name of k6's own page, if there is one.
 * @returns The HTML of the page.
 * @example
 * ```ts
 * import { render } from "@webagent/load/html/LoadHtml"
 * import type { LoadReport } from "@webagent/load/LoadReport"
 * import type { Outcome } from "@webagent/load/LoadRun"
 * import * as TimeSeries from "@webagent/load/TimeSeries"
 *
 * export const page = (report: LoadReport, { points }: Outcome) => render(report, TimeSeries.of(points), undefined)
 * ```
 */
export const render = (report: LoadReport, series: TimeSeries, dashboard: string | undefined): string => {
  const { errors, throughput } = report.measurements
  const statuses = FailedRequests.text(report.failed_requests ?? [])
  const failed = `${share(errors)} of requests failed${statuses === undefined ? "" : `: ${statuses}`}`
  const title = `Load test ${report.test}`
  const rows = latencies(report).map(([name, { count, max, p50, p95, p99 }]) => [
    name,
    number(count),
    ...[p50, p95, p99, max].map((time) => duration(time))
  ])
  const thresholds = report.thresholds.map(({ limit, measured, name, ok }) => [
    name,
    escape(limit),
    escape(measured),
    ok ? `<span class="good">ok</span>` : `<b class="bad">FAILED</b>`
  ])
  const byOperation = series.operations.slice(1).map(({ ms, name }) => quantileChart(name, ms, series.step_ms))
  return renderPage({
    title: `${title}: ${report.verdict}`,
    header: `<h1>${escape(title)}</h1><p>${sentence(report)}</p>
<p class="faint">${number(throughput, 1)} successful requests per second. ${escape(failed)}. ${duration(report.took_ms)} in all.</p>`,
    main: `<div class="tables"><section><h2>Thresholds</h2>${table(["threshold", "limit", "measured", "result"], thresholds)}</section>
<section class="settings"><h2>Settings</h2>${table(
      ["setting", "value"],
      settings(report).map(([name, value]) => [name, escape(value)])
    )}</section></div>
<h2>Over time</h2><p class="faint">Minutes and seconds since the first point; each point covers ${duration(series.step_ms)}.</p>
<div class="charts">${charts(series).join("\n")}</div>
<h2>Latencies</h2>${table(["latency", "count", "p50", "p95", "p99", "max"], rows)}
<h2>Operations over time</h2><div class="charts">${byOperation.join("\n")}</div>`,
    footer: `${dashboard === undefined ? "" : `<a href="${escape(encodeURI(dashboard))}">k6 dashboard</a> · `}${escape(`${report.tool.name} ${report.tool.version}`)}`
  })
}
