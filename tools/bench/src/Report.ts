import { readFileSync, writeFileSync } from "node:fs"
import type { Fingerprint } from "./Fingerprint.ts"
import type { Measured, Settings, Workload } from "./Measurement.ts"
import { Mistake } from "./Mistake.ts"
import { median, type Ratio, ratioOf } from "./Statistics.ts"

/** A row of the report: a server, and what was measured of it or why nothing was. */
export interface Row {
  readonly name: string
  readonly title: string
  readonly remark: string
  readonly result: Measured | { readonly skipped: string }
}

/** The whole result of the bench `simulated`, as it is written to JSON. */
export interface Report {
  readonly bench: "simulated"
  readonly date: string
  readonly fingerprint: Fingerprint
  readonly pinning: string
  readonly settings: Settings
  readonly bundle_kB: number
  /** The server that the ratios are to. */
  readonly base: string
  readonly rows: ReadonlyArray<Row>
}

const none = "–"

const plain = (figure: number) => (figure >= 100 ? Math.round(figure) : Number(figure.toPrecision(2))).toString()
const grouped = (figure: number) => Math.round(figure).toLocaleString("en")

/** `2.1 (2.0 to 2.3)`. */
export const ratioText = ({ high, low, ratio }: Ratio): string => `${plain(ratio)} (${plain(low)} to ${plain(high)})`

const cpu = (measured: Measured, workload: Workload) => measured.samples[workload]?.map(({ cpu_us }) => cpu_us)

const measuredOf = ({ result }: Row) => ("skipped" in result ? undefined : result)

/** What the first server costs beside the second in one workload; undefined where either was not measured. */
export const costRatio = (report: Report, first: string, second: string, workload: Workload): Ratio | undefined => {
  const [a, b] = [first, second].map((name) => {
    const row = report.rows.find((candidate) => candidate.name === name)
    const measured = row === undefined ? undefined : measuredOf(row)
    return measured === undefined ? undefined : cpu(measured, workload)
  })
  return a === undefined || b === undefined ? undefined : ratioOf(a, b)
}

const line = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`

/** A table of Markdown: the first column is text, the others are numbers. */
export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  [line(head), line(head.map((_, column) => (column === 0 ? "---" : "--:"))), ...rows.map(line)].join("\n")

/** The server whose peers the others are. */
const ours = "ours"

const beside = (report: Report, name: string, other: string, workload: Workload) => {
  if (name === other) return "1"
  const ratio = costRatio(report, name, other, workload)
  return ratio === undefined ? none : ratioText(ratio)
}

const costCells = (report: Report, { name }: Row, measured: Measured, workload: Workload) => {
  const samples = measured.samples[workload] ?? []
  return [
    plain(median(samples.map(({ cpu_us }) => cpu_us))),
    beside(report, name, report.base, workload),
    ...(report.base === ours ? [] : [beside(report, name, ours, workload)]),
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
    const said = [...(remark === "" ? [] : [remark]), ...stalled(measured)]
    return said.length === 0 ? [] : [`- ${title}: ${said.join("; ")}`]
  })
  const base = rows.find(([{ name }]) => name === report.base)?.[0].title ?? report.base
  const { fingerprint: machine, settings } = report
  return [
    `${report.date}: ${machine.cpu}, ${machine.cores} cores, ${machine.memory_GB} GB, Node ${machine.node}, ${machine.platform}; load average ${machine.loadBefore} before and ${machine.loadAfter} after; ${report.pinning}; ${settings.rounds} rounds of ${settings.window_s} s windows, ${settings.connections} connections; our server bundled, ${report.bundle_kB} kB at its start.`,
    "**Run status, v4**",
    costTable(report, rows, "status", base),
    "**Session, v2**",
    costTable(report, rows, "session", base),
    "**Create, poll twice, fetch** (a figure is for one of the four requests)",
    costTable(report, rows, "flow", base),
    "**The process**",
    processTable(rows),
    [...remarks, ...skipped].join("\n")
  ]
    .filter((part) => part !== "")
    .join("\n\n")
}

const opening = (bench: string) => `<!-- bench:${bench} -->`
const closing = (bench: string) => `<!-- /bench:${bench} -->`

/** The document with what is between a bench's markers replaced. */
export const between = (document: string, bench: string, text: string): string => {
  const start = document.indexOf(opening(bench))
  const end = document.indexOf(closing(bench))
  if (start === -1 || end < start) {
    throw new Mistake(
      `The document has no place for this: add ${opening(bench)} and ${closing(bench)} on lines of their own.`
    )
  }
  return `${document.slice(0, start + opening(bench).length)}\n\n${text}\n\n${document.slice(end)}`
}

/** Writes the tables of a bench between its markers of a document. */
export const writeInto = (file: string, bench: string, text: string): void =>
  writeFileSync(file, between(readFileSync(file, "utf8"), bench, text))
