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
  readonly bundle_kB: number
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

/** The server whose peers the others are. */
const ours = "ours"

const relativeTo = (report: Report, name: string, other: string, workload: Workload) =>
  name === other ? "1" : ratioText(costRatio(report, name, other, workload))

const costCells = (report: Report, { name }: Row, measured: Measured, workload: Workload) => {
  const samples = measured.samples[workload] ?? []
  return [
    plain(median(samples.map(({ cpu_us }) => cpu_us))),
    relativeTo(report, name, report.base, workload),
    ...(report.base === ours ? [] : [relativeTo(report, name, ours, workload)]),
    grouped(median(samples.map(({ perSecond }) => perSecond)))
  ]
}

const costTable = (report: Report, rows: ReadonlyArray<readonly [Row, Measured]>, workload: Workload, base: string) =>
  table(
    ["server", "CPU µs a request", `÷ ${base}`, ...(report.base === ours ? [] : ["÷ ours"]), "requests/s"],
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
  const base = rows.find(([{ name }]) => name === report.base)?.[0].title ?? report.base
  const { settings } = report
  return paragraphs(
    headingLine(
      report,
      `${report.pinning}; ${settings.rounds} rounds of ${settings.window_s} s windows, ${settings.connections} connections; our server bundled, ${report.bundle_kB} kB at its start`
    ),
    "**Run status, v4**",
    costTable(report, rows, "status", base),
    "**Session, v2**",
    costTable(report, rows, "session", base),
    "**Create, poll twice, fetch** (a figure is for one of the four requests)",
    costTable(report, rows, "flow", base),
    "**The process**",
    processTable(rows),
    [...remarks, ...skipped].join("\n")
  )
}
