import type { ScenarioName } from "@webagent/report/Comparison"
import type { Trace } from "@webagent/report/Trace"
import * as Effect from "effect/Effect"
import { compareEmbedded } from "./EmbeddedComparison.ts"
import type { LoadComparison, LoadComparisonSummary, LoadDetail, LoadSummary } from "./Load.ts"
import { cellsOf } from "./NightCells.ts"
import type { CompareOutput, NightDetail, NightsMap, Trend, TrendPoint } from "./Nights.ts"
import type { Project } from "./Project.ts"
import type { Run, RunPage } from "./Runs.ts"
import type { Source, SourceError } from "./Source.ts"
import type { SuiteTree } from "./Suites.ts"
import { exportElement } from "./Wire.ts"

/** The data of an exported page, as its element with the id `exportElement` holds it in JSON. */
export interface EmbeddedData {
  readonly format: 1
  /** The address of the first screen; null for the nights. */
  readonly start: string | null
  /** The run whose folder the page lies in; null if it lies elsewhere. */
  readonly home: string | null
  /** Links from the page to the reports of nights that it doesn't have, by the id of the night. */
  readonly reports: Readonly<Record<string, string>>
  readonly project: Project
  readonly suites: SuiteTree
  readonly runs: RunPage
  /** Runs with their reports; the others are only in the list. */
  readonly details: ReadonlyArray<Run>
  /** Traces by `<run>/traces/12.json`: gzip in base64. */
  readonly traces: Readonly<Record<string, string>>
  readonly nights: NightsMap
  readonly nightDetails: ReadonlyArray<NightDetail>
  readonly comparisons: ReadonlyArray<CompareOutput>
  /** The whole nights over time. */
  readonly trend: ReadonlyArray<TrendPoint>
  /** By row of `nights`, then by night: median milliseconds, 0 if nothing was measured. */
  readonly durations: ReadonlyArray<ReadonlyArray<number>>
  /** The same in USD; a row without any cost is empty. */
  readonly costs: ReadonlyArray<ReadonlyArray<number>>
  readonly loads: ReadonlyArray<LoadSummary>
  readonly loadDetails: ReadonlyArray<LoadDetail & { readonly run: string }>
  readonly loadComparisons: ReadonlyArray<LoadComparisonSummary>
  /** By `<run>/<test>` of comparisons of two services, and by `<run>/<test>/<earlier run>` of two load tests. */
  readonly comparedLoads: Readonly<Record<string, LoadComparison>>
}

const missing = (what: string): Effect.Effect<never, SourceError> =>
  Effect.fail({
    _tag: "MissingError",
    detail: `This page was exported without ${what}. Run webagent-harness ui in the project to see it.`
  })

const orMissing = <A>(value: A | undefined, what: string): Effect.Effect<A, SourceError> =>
  value === undefined ? missing(what) : Effect.succeed(value)

const bytesOf = (packed: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(packed), (character) => character.charCodeAt(0))

const unpack = async (packed: string): Promise<Trace> => {
  const stream = new Blob([bytesOf(packed)]).stream().pipeThrough(new DecompressionStream("gzip"))
  // this program has written it, of the same version
  return (await new Response(stream).json()) as Trace
}

/** Returns the points of a scenario from the columns of the heat map. */
const pointsOf = (
  { costs, durations, nights }: Pick<EmbeddedData, "costs" | "durations" | "nights">,
  row: number
): ReadonlyArray<TrendPoint> =>
  nights.nights.flatMap((night, index) => {
    const cell = cellsOf(night)(row)
    if (cell === undefined) return []
    const duration = durations[row]?.[index] ?? 0
    return {
      night: night.id,
      startedAt: night.startedAt,
      ...cell,
      duration_ms: duration === 0 ? null : duration,
      cost_usd: costs[row]?.[index] ?? 0
    }
  })

/** Returns a source of the data of an exported page. It has no actions. */
export const embeddedSource = (data: EmbeddedData): Source => {
  const {
    comparedLoads,
    comparisons,
    details,
    loadComparisons,
    loadDetails,
    loads,
    nightDetails,
    nights,
    project,
    runs,
    suites,
    traces
  } = data
  const trendOf = (scenario: ScenarioName | null): Effect.Effect<Trend, SourceError> => {
    if (scenario === null) return Effect.succeed({ scenario, points: data.trend })
    const row = nights.rows.findIndex(({ name, suite }) => suite === scenario.suite && name === scenario.name)
    return row < 0 ? missing("this scenario") : Effect.sync(() => ({ scenario, points: pointsOf(data, row) }))
  }
  return {
    project: Effect.succeed(project),
    suites: Effect.succeed(suites),
    runs: () => Effect.succeed(runs),
    run: (id) =>
      orMissing(
        details.find((run) => run.id === id),
        "the report of this run"
      ),
    trace: (run, trace) => {
      const packed = traces[`${run}/${trace}`]
      return packed === undefined
        ? missing("the trace of this trial")
        : Effect.tryPromise(() => unpack(packed)).pipe(Effect.catch(() => missing("a readable trace of this trial")))
    },
    linkOf: (run, file) => (run === data.home ? file.split("/").map(encodeURIComponent).join("/") : undefined),
    reportOf: (night) => data.reports[night],
    nights: () => Effect.succeed(nights),
    figures: (figure) =>
      Effect.succeed({
        nights: nights.nights.map(({ id }) => id),
        rows: figure === "duration" ? data.durations : data.costs
      }),
    night: (id) =>
      orMissing(
        nightDetails.find(({ night }) => night.id === id),
        "the details of this night"
      ),
    compare: (night, before) =>
      orMissing(
        comparisons.find((one) => one.after.id === night && one.before.id === before) ??
          compareEmbedded(data, night, before),
        "one of these nights"
      ),
    trend: trendOf,
    loads: Effect.succeed(loads),
    load: (run, test) =>
      orMissing(
        loadDetails.find((one) => one.run === run && one.report.test === test),
        "this load test"
      ),
    compareLoads: (run, test, before) =>
      orMissing(comparedLoads[`${run}/${test}/${before}`], "the comparison of these load tests"),
    loadComparisons: Effect.succeed(loadComparisons),
    loadComparison: (run, test) => orMissing(comparedLoads[`${run}/${test}`], "this comparison"),
    actions: null
  }
}

/** Reads the data of the exported page that this script is in; undefined on a page of a running command. */
export const embeddedData = (): EmbeddedData | undefined => {
  const text = document.getElementById(exportElement)?.textContent
  return text === null || text === undefined ? undefined : (JSON.parse(text) as EmbeddedData)
}
