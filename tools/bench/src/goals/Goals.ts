/** Goals for the paths that people wait for, and the rows of their table that the reports of benches have. */
import { median } from "@webagent/statistics/Robust"
import type { BrowsersReport } from "../browsers/browsers.ts"
import { type Cdp, type CdpReport, longer, timesAsMany } from "../browsers/cdp.ts"
import { type ClientsReport, costRatio as callRatio } from "../clients/ClientsReport.ts"
import { earlierName } from "../clients/Contestants.ts"
import type { LiveReport } from "../live/live.ts"
import { Mistake } from "../measure/Mistake.ts"
import { grouped, plain, ratioText } from "../measure/Report.ts"
import type { Ratio } from "../measure/Statistics.ts"
import { timesOf } from "../measure/Times.ts"
import { costRatio, type Report } from "../simulated/Report.ts"
import { medianOf } from "../stores/StoresReport.ts"
import type { Kept, StoresReport } from "../stores/stores.ts"
import type { VersionsReport } from "../versions/versions.ts"

/** A measured value, and its text in the table. */
interface Figure {
  readonly value: number
  readonly text: string
}

/** A row of the table. */
export interface Row {
  readonly path: string
  readonly before: Figure
  readonly now: Figure
  readonly goal: Figure
  readonly isMet: boolean
  /** Link to the figures. */
  readonly measured: string
}

const figure = (value: number | undefined, unit = "", text: (value: number) => string = plain): Figure | undefined =>
  value === undefined || Number.isNaN(value) ? undefined : { value, text: `${text(value)}${unit}` }

const ofRatio = (ratio: Ratio | undefined): Figure | undefined =>
  ratio && { value: ratio.ratio, text: ratioText(ratio) }

/** Makes the rows of a table of the page, without those that weren't measured in both versions. */
const rowsOf =
  (measured: string) =>
  (
    path: string,
    goal: Figure | undefined,
    now: Figure | undefined,
    before: Figure | undefined,
    isMet = (value: number, limit: number) => value <= limit
  ): ReadonlyArray<Row> =>
    goal === undefined || now === undefined || before === undefined
      ? []
      : [{ path, before, now, goal, isMet: isMet(now.value, goal.value), measured }]

const atLeast = (value: number, limit: number) => value >= limit

/** The rows of the mock server. */
export const ofSimulated = (report: Report): ReadonlyArray<Row> => {
  const row = rowsOf("[mock](#the-simulated-server)")
  const works = [
    ["mock: create a run, poll it twice, read it (CPU ÷ Fastify)", "flow", 2.5],
    ["mock: status read (÷ Fastify)", "status", 1.3],
    ["mock: session, v2 (÷ Fastify)", "session", 1.6]
  ] as const
  const memoryOf = (wanted: string) => {
    const result = report.rows.find(({ name }) => name === wanted)?.result
    return figure(result !== undefined && "live" in result ? result.live?.rss_MB : undefined, " MB")
  }
  return [
    ...works.flatMap(([path, work, goal]) => {
      const cost = (name: string) => ofRatio(costRatio(report, name, "fastify", work))
      return row(path, figure(goal), cost("ours"), cost("before"))
    }),
    ...row("100,000 live runs, process", figure(300, " MB"), memoryOf("ours"), memoryOf("before"))
  ]
}

/** The rows of servers over their stores. */
export const ofStores = ({ against, kept }: StoresReport): ReadonlyArray<Row> => {
  const row = rowsOf("[stores](#the-stores-side-by-side)")
  const of = (store: string, make: (kept: Kept) => Figure | undefined) =>
    [store, `${store}, ${against}`].map((wanted) => {
      const one = kept.find(({ name }) => name === wanted)
      return one && make(one)
    })
  const creates = [
    ["memory", "memory", 1500],
    ["SQLite", "SQLite", 1000],
    ["Postgres, one node", "Postgres, 1 node", 500],
    ["Postgres, three nodes", "Postgres, 3 nodes", 500]
  ] as const
  const runs = [
    ["memory", 0.7],
    ["SQLite", 1.1]
  ] as const
  const nodes_ms = (each: Kept) => medianOf(each, (round) => round.turn_nodes_ms)
  const postgres_ms = (each: Kept) => medianOf(each, (round) => round.turn_postgres_ms)
  const [now, before] = of("Postgres, 1 node", (each) => ({
    // both parts have a goal
    value: Math.max(nodes_ms(each) / 2, postgres_ms(each)),
    text: `${plain(nodes_ms(each))} and ${plain(postgres_ms(each))} ms`
  }))
  return [
    ...creates.flatMap(([path, store, goal]) => {
      const [now, before] = of(store, (each) =>
        figure(
          medianOf(each, (round) => round.creates_perSecond),
          "",
          grouped
        )
      )
      return row(`creates per second, ${path}`, figure(goal, "", grouped), now, before, atLeast)
    }),
    ...runs.flatMap(([store, goal]) => {
      const [now, before] = of(store, (each) => figure(nodes_ms(each), " ms"))
      return row(`CPU per run, ${store}`, figure(goal, " ms"), now, before)
    }),
    ...row("CPU per run, Postgres: node and Postgres", { value: 1, text: "2 and 1 ms" }, now, before)
  ]
}

/** The rows of clients. */
export const ofClients = ({ against, calls, imports, sizes, sizesBefore }: ClientsReport): ReadonlyArray<Row> => {
  const row = rowsOf("[clients](#clients)")
  const read = (name: string) => ofRatio(callRatio(calls, name, "browser-use", "get"))
  const size = (of: typeof sizes) => {
    const bytes = of.find(({ entry }) => entry === "@webagent/v4")?.rolldown.gzip
    return figure(bytes && bytes / 1000, " kB", (value) => value.toFixed(1))
  }
  const load = (wanted: string) => figure(median(imports.find(({ name }) => name === wanted)?.cpu_ms ?? []), " ms")
  const [effect, promise] = ["@webagent/v4, Node and others", "@webagent/v4/promise, Node"]
  return [
    ...row(
      "client over fetch, read in full: Effect (CPU ÷ SDK)",
      figure(1.2),
      read("effect-fetch"),
      read(earlierName("effect-fetch"))
    ),
    ...row(
      "client over fetch, read in full: promises (÷ SDK)",
      figure(1.3),
      read("promise-fetch"),
      read(earlierName("promise-fetch"))
    ),
    ...row("`@webagent/v4`, bundled, gzip", figure(55, " kB"), size(sizes), size(sizesBefore)),
    ...row("cold import of the promise entry, CPU", figure(40, " ms"), load(promise), load(`${promise}, ${against}`)),
    ...row("cold import of the Effect entry, CPU", figure(40, " ms"), load(effect), load(`${effect}, ${against}`))
  ]
}

/** The rows of real browsers. */
export const ofBrowsers = ({ creates: [now, before] }: BrowsersReport): ReadonlyArray<Row> => {
  const row = rowsOf("[browsers](#real-browsers)")
  const ms = (times: ReadonlyArray<number> | undefined, at: "p50" | "p95") =>
    figure(times && timesOf(times)[at], " ms", grouped)
  return [
    ...row("browser from the pool, p50", figure(20, " ms"), ms(now.warm, "p50"), ms(before?.warm, "p50")),
    ...row(
      "browser in a burst of ten, p95",
      figure(300, " ms"),
      ms(now.burst.flat(), "p95"),
      ms(before?.burst.flat(), "p95")
    )
  ]
}

/** The row of a viewer that takes over. */
export const ofLive = ({ keys: [now, before] }: LiveReport): ReadonlyArray<Row> => {
  const p95 = (keys: typeof now | undefined) => figure(keys && timesOf(keys.atOnce.flat()).p95, " ms")
  return rowsOf("[live view](#a-live-view)")(
    "take-over: a key of 16 at once, p95, idle",
    figure(50, " ms"),
    p95(now),
    p95(before)
  )
}

const signed = (value: number, text: (value: number) => string) => `${value < 0 ? "" : "+"}${text(value)}`

/** The rows of CDP through the server, next to DevTools directly. */
export const ofCdp = ({ cdp: [now, before] }: CdpReport): ReadonlyArray<Row> => {
  const row = rowsOf("[CDP](#cdp-through-the-server)")
  const trip = (each: Cdp | undefined): Figure | undefined => {
    if (each === undefined) return undefined
    const { high, low, median: value } = longer(each, "direct")
    return { value, text: `${signed(value, (ms) => ms.toFixed(2))} ms (${low.toFixed(2)} to ${high.toFixed(2)})` }
  }
  const percent = (ratio: number) => Math.round(100 * (ratio - 1))
  const many = (each: Cdp | undefined): Figure | undefined => {
    if (each === undefined) return undefined
    const { high, low, ratio } = timesAsMany(each, "direct")
    const value = percent(ratio)
    return { value, text: `${signed(value, String)} % (${percent(low)} to ${percent(high)})` }
  }
  return [
    ...row("CDP through the server, a round trip", { value: 0.1, text: "+0.1 ms" }, trip(now), trip(before)),
    ...row("CDP through the server, 64 at a time", { value: -10, text: "-10 %" }, many(now), many(before), atLeast)
  ]
}

/** The rows of simulated worlds. */
export const ofVersions = ({ paths }: VersionsReport): ReadonlyArray<Row> => {
  const row = rowsOf("[versions](#this-version-and-another)")
  const worlds = [
    ["simulation: server seeds per CPU second", "server worlds, a seed", 500],
    ["simulation: client worlds per CPU second", "client worlds, a seed", 60]
  ] as const
  return worlds.flatMap(([path, wanted, goal]) => {
    const measured = paths.find(({ name }) => name === wanted)
    const perSecond = (ms: ReadonlyArray<number> | undefined) => figure(ms && 1000 / median(ms), "", grouped)
    return row(path, figure(goal), perSecond(measured?.now), perSecond(measured?.before), atLeast)
  })
}

/** Replaces rows of the table in a document. */
export const withRows = (document: string, rows: ReadonlyArray<Row>): string =>
  rows.reduce((text, { before, goal, isMet, measured, now, path }) => {
    const cells = [path, before.text, now.text, goal.text, isMet ? "yes" : "no", measured]
    const lines = text.split("\n")
    const at = lines.findIndex((line) => line.startsWith(`| ${path} |`))
    if (at === -1) throw new Mistake(`The table of goals has no row "${path}": add it.`)
    return lines.with(at, `| ${cells.join(" | ")} |`).join("\n")
  }, document)
