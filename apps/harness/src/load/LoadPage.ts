import { counted, duration } from "../reporters/Style.ts"
import * as Chart from "./Chart.ts"
import type { Spread } from "./Figures.ts"
import type { LoadReport } from "./LoadReport.ts"
import type { Quantiles, TimeSeries } from "./TimeSeries.ts"

const styles = `
:root { color-scheme: light dark; --ink: light-dark(#1c2128, #d7dde4); --faint: light-dark(#5d6773, #98a2ad); --paper: light-dark(#ffffff, #14181d);
  --card: light-dark(#f6f7f9, #1b2027); --rule: light-dark(#d9dee4, #323a44); --good: light-dark(#1a7037, #5fcf86); --bad: light-dark(#b3261e, #ff8a80);
  --line-0: light-dark(#0b62c4, #6db3ff); --line-1: light-dark(#b45a00, #ffb454); --line-2: light-dark(#8a2b9c, #d99bea) }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 88rem; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
h1 { font-size: 1.5rem; margin: 0 } h2 { font-size: 1.15rem; margin: 2.5rem 0 .75rem }
p { margin: .25rem 0; max-width: 75ch } .faint { color: var(--faint) } .good { color: var(--good) } .bad { color: var(--bad) } b { font-weight: 650 }
.tables { display: grid; gap: 0 3rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 34rem), 1fr)) }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: right; padding: .3rem .6rem; border-bottom: 1px solid var(--rule); white-space: nowrap } th:first-child, td:first-child { text-align: left; padding-left: 0 }
thead th { color: var(--faint); font-weight: 500 } tbody th { font-weight: 400 } .settings td { text-align: left; white-space: normal; overflow-wrap: anywhere }
.charts { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)) }
figure { margin: 0; padding: .9rem 1rem .7rem; background: var(--card); border: 1px solid var(--rule); border-radius: .5rem; min-width: 0 }
figcaption { font-weight: 600; margin-bottom: .4rem } figcaption .faint { font-weight: 400 } .chart { width: 100%; height: auto; display: block } .chart text { fill: var(--faint); font-size: 12px; font-variant-numeric: tabular-nums }
.grid { stroke: var(--rule) } .line { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; stroke: var(--line-0) }
.line-1 { stroke: var(--line-1); stroke-dasharray: 6 4 } .line-2 { stroke: var(--line-2); stroke-dasharray: 1.5 4 } .dot { fill: var(--line-0) } .dot-1 { fill: var(--line-1) } .dot-2 { fill: var(--line-2) }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; margin: .4rem 0 0; padding: 0; font-size: .875rem } .key { width: 28px; height: 8px; vertical-align: middle }
a { color: var(--line-0) } footer { margin-top: 3rem; color: var(--faint); font-size: .875rem }
@media (max-width: 40rem) { body { padding: 1rem .75rem 3rem } table { font-size: .85rem } th, td { padding: .3rem .35rem } .chart text { font-size: 19px } }
@media print { figure { break-inside: avoid } }
`

const { escape } = Chart

/** A time for a page: `0.4 ms`, `41 ms`, `1.31 s`. */
const time = (value_ms: number): string => {
  if (value_ms === 0) return "0 ms"
  if (value_ms < 10) return `${Number(value_ms.toFixed(value_ms < 1 ? 2 : 1))} ms`
  return value_ms < 1000 ? `${Math.round(value_ms)} ms` : `${Number((value_ms / 1000).toFixed(2))} s`
}

const number = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: value < 10 ? 2 : 0 })
const percent = (share: number) => `${Number((share * 100).toFixed(share < 0.1 ? 2 : 1))} %`

const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  `<div class="scroll"><table><thead><tr>${heads.map((head) => `<th scope="col">${escape(head)}</th>`).join("")}</tr></thead><tbody>${rows
    .map(
      ([first = "", ...rest]) =>
        `<tr><th scope="row">${escape(first)}</th>${rest.map((cell) => `<td>${cell}</td>`).join("")}</tr>`
    )
    .join("")}</tbody></table></div>`

const sentence = (report: LoadReport): string => {
  const crossed = report.thresholds.filter(({ ok }) => !ok)
  if (report.verdict === "stopped") return `<b class="bad">Stopped by hand</b>: what had been measured until then.`
  if (report.verdict === "passed") {
    return `<b class="good">Passed</b>: ${counted(report.thresholds.length, "threshold")} held.`
  }
  return `<b class="bad">Failed</b>: ${crossed.map(({ limit, measured, name }) => escape(`${name} was ${measured}, limit ${limit}`)).join("; ")}.`
}

const settings = (report: LoadReport): ReadonlyArray<readonly [string, string]> => {
  const { address, name, simulated } = report.target
  const { mix, profile, sample, segments, vus } = report.settings
  return [
    ["target", `${name === address ? "" : `${name}, `}${address}${simulated ? "" : " (not simulated)"}`],
    [
      "model",
      vus === undefined ? `open: ${counted(report.rate, "start")} a second` : `closed: ${counted(vus, "virtual user")}`
    ],
    ["new work for", duration(report.duration_ms)],
    ["took", duration(report.took_ms)],
    ["began", `${report.startedAt.slice(0, 19).replace("T", " ")} UTC`],
    ...(mix === undefined ? [] : [["mix", mix] as const]),
    ...(profile === undefined ? [] : [["profile", profile] as const]),
    ...(sample === undefined ? [] : [["decoded", percent(sample)] as const]),
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
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(`${title}: ${report.verdict}`)}</title><style>${styles}</style></head><body>
<header><h1>${escape(title)}</h1><p>${sentence(report)}</p>
<p class="faint">${number(throughput)} good answers a second, ${percent(errors)} of the requests failed, ${duration(report.took_ms)} in all.</p></header>
<main><div class="tables"><section><h2>Thresholds</h2>${table(["threshold", "limit", "measured", ""], thresholds)}</section>
<section class="settings"><h2>Settings</h2>${table(
    ["setting", ""],
    settings(report).map(([name, value]) => [name, escape(value)])
  )}</section></div>
<h2>Over time</h2><p class="faint">Minutes and seconds since the first point; each figure is of ${duration(series.step_ms)}.</p>
<div class="charts">${charts(series).join("\n")}</div>
<h2>Times</h2>${table(["what", "count", "p50", "p95", "p99", "max"], rows)}
<h2>By operation, over time</h2><div class="charts">${byOperation.join("\n")}</div></main>
<footer><p>${dashboard === undefined ? "" : `<a href="${escape(encodeURI(dashboard))}">k6's own page</a> · `}${escape(`${report.tool.name} ${report.tool.version}`)}</p></footer>
</body></html>
`
}
