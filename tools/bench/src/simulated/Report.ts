import { median } from "@webagent/statistics/Robust"
import { grouped, type Heading, headingLine, none, paragraphs, plain, ratioText, table } from "../measure/Report.ts"
import { type Ratio, ratioBetween } from "../measure/Statistics.ts"
import type { Measured, Settings, Workload } from "./Measurement.ts"

/** A row of the report: a server, and what was measured of it or why nothing was. */
interface Row {
  readonly name: string
  readonly title: string
  readonly remark: string
  readonly result: Measured | { readonly skipped: string }
}

/** The whole result of the bench `simulated`, as it is written to JSON. */
export interface Report extends Heading {
  readonly pinning: string
  readonly settings: Settings
  /** The server that the ratios are to. */
  readonly base: string
  readonly rows: ReadonlyArray<Row>
}

const measuredOf = ({ result }: Row) => ("skipped" in result ? undefined : result)

/** Cost of the first server relative to the second in one workload; undefined if either was not measured. */
export const costRatio = (report: Report, first: string, second: string, workload: Workload): Ratio | undefined =>
  ratioBetween(
    (wanted) => {
      const row = report.rows.find(({ name }) => name === wanted)
      return row && measuredOf(row)?.samples[workload]?.map(({ cpu_us }) => cpu_us)
    },
    first,
    second
  )

/** Names of the servers that a cost is divided by: the base, ours, and ours of another commit. */
const basesOf = (report: Report) =>
  [...new Set([report.base, "ours", "before"])].filter((name) => report.rows.some((row) => row.name === name))

const titleOf = ({ rows }: Report, base: string) =>
  rows.find(({ name }) => name === base)?.title.replaceAll("**", "") ?? base

const relativeTo = (report: Report, name: string, other: string, workload: Workload) =>
  name === other ? "1" : ratioText(costRatio(report, name, other, workload))

const costCells = (report: Report, { name }: Row, measured: Measured, workload: Workload) => {
  const samples = measured.samples[workload] ?? []
  return [
    plain(median(samples.map(({ cpu_us }) => cpu_us))),
    ...basesOf(report).map((base) => relativeTo(report, name, base, workload)),
    grouped(median(samples.map(({ perSecond }) => perSecond)))
  ]
}

const costTable = (report: Report, rows: ReadonlyArray<readonly [Row, Measured]>, workload: Workload) =>
  table(
    ["server", "CPU µs a request", ...basesOf(report).map((base) => `÷ ${titleOf(report, base)}`), "requests/s"],
    rows
      .filter(([, measured]) => measured.samples[workload] !== undefined)
      .map(([row, measured]) => [row.title, ...costCells(report, row, measured, workload)])
  )

const processTable = (rows: ReadonlyArray<readonly [Row, Measured]>) =>
  table(
    [
      "server",
      "first answer, s",
      "CPU until then, s",
      "memory at first, MB",
      "memory after, MB",
      "requests served",
      "live runs",
      "memory then, MB",
      "after a collection, MB"
    ],
    rows.map(([row, { live, rssAfter_MB, rssBefore_MB, served, starts }]) => [
      row.title,
      (median(starts.map(({ took_ms }) => took_ms)) / 1000).toFixed(2),
      median(starts.map(({ cpu_s }) => cpu_s)).toFixed(2),
      plain(rssBefore_MB),
      plain(rssAfter_MB),
      grouped(served),
      live === undefined ? none : grouped(live.runs),
      live === undefined ? none : plain(live.rss_MB),
      live === undefined ? none : plain(live.collected_MB)
    ])
  )

/** The tables of a report, with what was measured where and how. */
export const markdown = (report: Report): string => {
  const rows = report.rows.flatMap((row) => {
    const measured = measuredOf(row)
    return measured === undefined ? [] : [[row, measured] as const]
  })
  const skipped = report.rows.flatMap(({ result, title }) =>
    "skipped" in result ? [`- not measured: ${title}: ${result.skipped}`] : []
  )
  const stalled = ({ stalls }: Measured) =>
    stalls === 0 ? [] : [`${stalls} of its windows went by without any answer, and were taken again`]
  const remarks = rows.flatMap(([{ remark, title }, measured]) => {
    const remarks = [...(remark === "" ? [] : [remark]), ...stalled(measured)]
    return remarks.length === 0 ? [] : [`- ${title}: ${remarks.join("; ")}`]
  })
  const { settings } = report
  return paragraphs(
    headingLine(
      report,
      `${report.pinning}; ${settings.rounds} rounds of ${settings.window_s} s windows, ${settings.connections} connections; our server bundled`
    ),
    "**Run status, v4**",
    costTable(report, rows, "status"),
    "**Session, v2**",
    costTable(report, rows, "session"),
    "**Create, poll twice, fetch** (a figure is for one of the four requests)",
    costTable(report, rows, "flow"),
    "**The process**",
    processTable(rows),
    [...remarks, ...skipped].join("\n")
  )
}
