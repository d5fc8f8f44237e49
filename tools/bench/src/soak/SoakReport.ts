import { count } from "@webagent/load/K6Summary"
import { median } from "@webagent/statistics/Robust"
import { grouped, type Heading, paragraphs, table } from "../measure/Report.ts"
import type { Findings } from "./Findings.ts"
import type { SoakResult, SoakSeries } from "./HarnessProcess.ts"
import { type Point, type Trend, trendOf } from "./Trend.ts"

/** Figures of the server's process at a moment. */
export interface Moment {
  /** Since the load was begun. */
  readonly at_s: number
  readonly rss_MB: number
  readonly cpu_s: number
  /** Processes of the machine that wanted a core, over the minute before. */
  readonly loadAverage: number
  /** Asked for less often: a collection takes time from the server. */
  readonly heap_MB?: number
}

/** All that came of a soak. */
export interface SoakReport extends Heading {
  readonly journalRows: number
  readonly moments: ReadonlyArray<Moment>
  readonly report: SoakResult
  readonly series: SoakSeries
  readonly findings: Findings
}

/** A stretch of the load, from and to as seconds. */
interface Stretch {
  readonly from_s: number
  readonly to_s: number
}

/** The time at full height: what goes up with the load at the beginning is no trend of the server. */
export const plateau = ({ duration_ms }: Pick<SoakResult, "duration_ms">): Stretch => ({
  from_s: (duration_ms / 1000) * 0.06,
  to_s: (duration_ms / 1000) * 0.95
})

/** The second half of a stretch. */
export const laterHalf = ({ from_s, to_s }: Stretch): Stretch => ({ from_s: (from_s + to_s) / 2, to_s })

const inside = (points: ReadonlyArray<Point>, { from_s, to_s }: Stretch) =>
  points.filter(({ at_s }) => at_s >= from_s && at_s <= to_s)

/** The values of a line over time, each in the middle of its stretch. */
export const pointsOf = (line: ReadonlyArray<number | null>, step_ms: number): ReadonlyArray<Point> =>
  line.flatMap((value, index) => (value === null ? [] : [{ at_s: ((index + 0.5) * step_ms) / 1000, value }]))

/** CPU time between one moment and the next, in % of a core. */
const cpuPoints = (moments: ReadonlyArray<Moment>): ReadonlyArray<Point> =>
  moments.slice(1).flatMap(({ at_s, cpu_s }, index) => {
    const before = moments[index]
    return before === undefined
      ? []
      : [{ at_s: (at_s + before.at_s) / 2, value: (100 * (cpu_s - before.cpu_s)) / (at_s - before.at_s) }]
  })

const block_s = 60

/** A figure of the soak with its trend over all of the plateau, and over its later half. */
interface SoakRow {
  readonly name: string
  readonly unit: "MB" | "ms" | "%"
  /** Memory in MB an hour, everything else in % of its mean an hour. */
  readonly absolute: boolean
  readonly all: Trend | undefined
  readonly later: Trend | undefined
}

/** Every figure with its trends. */
export const rowsOf = ({
  moments,
  report,
  series
}: Pick<SoakReport, "moments" | "report" | "series">): ReadonlyArray<SoakRow> => {
  const whole = plateau(report)
  const row = (name: string, unit: SoakRow["unit"], points: ReadonlyArray<Point>): SoakRow => ({
    name,
    unit,
    absolute: unit === "MB",
    all: trendOf(inside(points, whole), block_s),
    later: trendOf(inside(points, laterHalf(whole)), block_s)
  })
  const heap = moments.flatMap(({ at_s, heap_MB }) => (heap_MB === undefined ? [] : [{ at_s, value: heap_MB }]))
  const rss = moments.map(({ at_s, rss_MB }) => ({ at_s, value: rss_MB }))
  const requests = series.operations[0]?.ms
  const line = (values: ReadonlyArray<number | null> = []) => pointsOf(values, series.step_ms)
  return [
    row("memory of the process (RSS)", "MB", rss),
    row("heap after a collection", "MB", heap),
    row("CPU of the server, of a core", "%", cpuPoints(moments)),
    row("request p50", "ms", line(requests?.p50)),
    row("request p95", "ms", line(requests?.p95)),
    row("time to terminal p50", "ms", line(series.time_to_terminal.p50)),
    row("time to terminal p95", "ms", line(series.time_to_terminal.p95))
  ]
}

const signed = (value: number) => {
  const digits = Math.abs(value) >= 10 ? 0 : 1
  return `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(digits)}`
}

const trendText = (trend: Trend | undefined, absolute: boolean) => {
  if (trend === undefined) return "–"
  const scale = absolute ? 1 : 100 / trend.mean
  const [middle, low, high] = [trend.perHour, trend.low, trend.high].map((value) => signed(value * scale))
  return `${middle} ${absolute ? "MB" : "%"} (${low} to ${high})`
}

const meanText = ({ all, unit }: SoakRow) => (all === undefined ? "–" : `${Number(all.mean.toPrecision(3))} ${unit}`)

/** The heap that a piece of agent work leaves, in kB; undefined where nothing was measured. */
export const perWork_kB = ({ moments, report }: Pick<SoakReport, "moments" | "report">): number | undefined => {
  const { from_s, to_s } = laterHalf(plateau(report))
  const heaps = moments.flatMap(({ at_s, heap_MB }) =>
    heap_MB === undefined || at_s < from_s || at_s > to_s ? [] : [{ at_s, value: heap_MB }]
  )
  const trend = trendOf(heaps, block_s)
  // all but the time in which the load goes up and down, in which it is half as high on average
  const perHour = (count(report, "runs_completed") / (report.duration_ms / 1000) / 0.95) * 3600
  return trend === undefined || perHour === 0 ? undefined : (trend.perHour / perHour) * 1024
}

const loadText = (moments: ReadonlyArray<Moment>) => {
  const loads = moments.map(({ loadAverage }) => loadAverage)
  const [least, most] = [Math.min(...loads), Math.max(...loads)]
  return `${median(loads).toFixed(1)} in the middle, from ${least.toFixed(1)} to ${most.toFixed(1)}`
}

/** The tables of a soak. */
export const markdown = (soak: SoakReport): string => {
  const { findings, fingerprint: machine, report } = soak
  const rows = rowsOf(soak)
  const requests = count(report, "http_reqs")
  const blocks = rows.find(({ all }) => all !== undefined)?.all?.blocks ?? 0
  const perWork = perWork_kB(soak)
  const facts: ReadonlyArray<readonly [string, string]> = [
    ["requests", grouped(requests)],
    ["of those failed", `${Number((report.measurements.errors * 100).toFixed(3))} %`],
    ["runs, follow-ups and sessions completed", grouped(count(report, "runs_completed"))],
    ["of those lost", grouped(count(report, "runs_lost"))],
    ["runs that go on, says the server", grouped(findings.turnsOpen)],
    ["browsers stopped", grouped(count(report, "browsers_stopped"))],
    ["browsers leaked, says the load test", grouped(count(report, "browsers_leaked"))],
    ["browsers left open, says the server's oracle", grouped(findings.verdicts["browsers-left-open"] ?? 0)],
    ["browsers open, says the server's list", grouped(findings.browsersOpen)],
    ["made twice for one intent, says the server's oracle", grouped(findings.verdicts["created-twice"] ?? 0)],
    ["starts dropped", grouped(count(report, "dropped_iterations"))],
    [
      "contract violations",
      `${grouped(count(report, "contract_violations"))} in ${grouped(count(report, "answers_decoded"))} decoded`
    ]
  ]
  return paragraphs(
    `${soak.date}: ${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, ${machine.platform}; load average ${loadText(soak.moments)}; ${report.rate} starts a second for ${Math.round(report.duration_ms / 60_000)} minutes, ${report.verdict}; the server in its default settings with a journal of ${grouped(soak.journalRows)} rows.`,
    table(
      ["figure", "mean", "an hour", "an hour, in the later half"],
      rows.map((row) => [row.name, meanText(row), trendText(row.all, row.absolute), trendText(row.later, row.absolute)])
    ),
    `In brackets the 95 % interval, over ${blocks} blocks of a minute, half as many in the later half.${perWork === undefined ? "" : ` In the later half the heap grows by ${perWork.toFixed(1)} kB for each piece of work completed.`}`,
    table(
      ["what", "count"],
      facts.map(([what, count]) => [what, count])
    )
  )
}
