import { median } from "@webagent/statistics/Robust"
import { grouped, type Heading, headingLine, none, paragraphs, ratioText, table } from "../measure/Report.ts"
import { type Ratio, ratioBetween } from "../measure/Statistics.ts"
import { type CallSettings, type Costs, works } from "./Calls.ts"
import type { Work } from "./ClientProcess.ts"
import { earlierName } from "./Contestants.ts"
import type { Imported } from "./Imports.ts"
import type { Part, Sizes } from "./Sizes.ts"
import type { Waited } from "./Waits.ts"

/** The whole result of the bench `clients`, as it is written to JSON. */
export interface ClientsReport extends Heading {
  readonly pinning: string
  readonly settings: CallSettings
  /** Short hash of the other version, whose clients follow those of this one. */
  readonly against: string | null
  /** Names and titles of all clients. */
  readonly titles: Readonly<Record<string, string>>
  readonly calls: ReadonlyArray<Costs>
  readonly waits: ReadonlyArray<Waited>
  readonly sizes: ReadonlyArray<Sizes>
  /** Those of the other version. */
  readonly sizesBefore: ReadonlyArray<Sizes>
  /** Parts of `@webagent/v4`, by rolldown. */
  readonly parts: ReadonlyArray<Part>
  readonly imports: ReadonlyArray<Imported>
}

const kB = (bytes: number) => (bytes / 1000).toFixed(1)
const hundredths = (figure: number) => figure.toFixed(2)
const precise = (figure: number) => (figure >= 10 ? grouped(figure) : String(Number(figure.toPrecision(2))))

/** Cost of a kind of work in one client, relative to another; undefined if either was not measured. */
export const costRatio = (calls: ReadonlyArray<Costs>, first: string, second: string, work: Work): Ratio | undefined =>
  ratioBetween((wanted) => calls.find(({ name }) => name === wanted)?.cpu_us[work], first, second)

const ratioCell = (calls: ReadonlyArray<Costs>, first: string, second: string, work: Work) =>
  first === second ? "1" : ratioText(costRatio(calls, first, second, work))

const httpOf = (name: string) => (name.includes("undici") ? "undici" : "fetch")

const workTitles = {
  create: "**Create a run**",
  status: "**Read its status**",
  get: "**Read it in full**",
  run: "**Create a run, poll it 30 times, read it in full** (a figure is for all 32 requests)"
}

/** The column of ratios to the other version, if there is one. */
const column = (against: string | null, cell: string) => (against === null ? [] : [cell])

const callTable = ({ against, calls, titles }: ClientsReport, work: Work) =>
  [
    workTitles[work],
    table(
      ["client", "over", "CPU µs", "÷ the same by hand", "÷ browser-use-sdk", ...column(against, `÷ ${against}`)],
      calls.map(({ cpu_us, name }) => [
        titles[name] ?? name,
        httpOf(name),
        grouped(median(cpu_us[work])),
        ratioCell(calls, name, `raw-${httpOf(name)}`, work),
        ratioCell(calls, name, "browser-use", work),
        ...column(against, ratioText(costRatio(calls, name, earlierName(name), work), hundredths))
      ])
    )
  ].join("\n\n")

const delays = ({ delay_ms }: Waited) => [
  delay_ms === undefined ? none : precise(delay_ms.median / 1000),
  delay_ms === undefined ? none : precise(delay_ms.max / 1000)
]

const weights = ({ memory, waits }: Waited) => [
  memory === undefined ? none : ((1000 * (memory.standing.heap_MB - memory.before.heap_MB)) / waits).toFixed(1),
  memory === undefined ? none : grouped(memory.standing.rss_MB)
]

const waitTable = ({ titles, waits }: ClientsReport) =>
  table(
    [
      "client",
      "waits",
      "polls",
      "polls/s",
      "most in 100 ms",
      "seen late by, s",
      "at most, s",
      "ended",
      "failed",
      "heap a wait, kB",
      "process, MB"
    ],
    waits.map((waited) => [
      titles[waited.name] ?? waited.name,
      grouped(waited.waits),
      grouped(waited.polls),
      precise(waited.perSecond),
      grouped(waited.peak),
      ...delays(waited),
      grouped(waited.ended),
      grouped(waited.failed),
      ...weights(waited)
    ])
  )

const failures = ({ titles, waits }: ClientsReport) =>
  waits
    .flatMap(({ failure, name, waits }) =>
      failure === undefined ? [] : [`- ${titles[name] ?? name}, ${grouped(waits)} waits, failed with: ${failure}`]
    )
    .join("\n")

const sizeTable = ({ against, sizes, sizesBefore }: ClientsReport) =>
  table(
    [
      "import of all of",
      "rolldown, kB",
      "gzip, kB",
      "esbuild, kB",
      "gzip, kB",
      ...column(against, `gzip of rolldown, ${against}, kB`)
    ],
    sizes.map(({ entry, esbuild, rolldown }) => {
      const before = sizesBefore.find((other) => other.entry === entry)
      return [
        `\`${entry}\``,
        kB(rolldown.minified),
        kB(rolldown.gzip),
        kB(esbuild.minified),
        kB(esbuild.gzip),
        ...column(against, before === undefined ? none : kB(before.rolldown.gzip))
      ]
    })
  )

const partTable = ({ parts }: ClientsReport) =>
  table(
    ["part", "minified, kB", "its share of the gzip, kB"],
    parts.map(({ gzip, minified, part }) => [part, kB(minified), kB(gzip)])
  )

const importTable = ({ against, imports }: ClientsReport) => {
  const cpuOf = (wanted: string) => imports.find(({ name }) => name === wanted)?.cpu_ms
  return table(
    ["import", "CPU ms", "ms", ...column(against, `CPU ÷ ${against}`)],
    imports.map(({ cpu_ms, name, took_ms }) => [
      name,
      grouped(median(cpu_ms)),
      grouped(median(took_ms)),
      ...column(against, ratioText(ratioBetween(cpuOf, name, `${name}, ${against}`), hundredths))
    ])
  )
}

/** The tables of a report, with what was measured where and how. */
export const markdown = (report: ClientsReport): string => {
  const { settings } = report
  return paragraphs(
    headingLine(
      report,
      `${report.pinning}; ${settings.rounds} rounds of ${settings.window_ms / 1000} s windows, ${settings.concurrency} calls at a time`
    ),
    ...works.map((work) => callTable(report, work)),
    "**Waits that begin together**",
    waitTable(report),
    failures(report),
    "**Size**",
    sizeTable(report),
    "**What `@webagent/v4` is made of**, by rolldown",
    partTable(report),
    "**Cold import**",
    importTable(report)
  )
}
