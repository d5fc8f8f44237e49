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

/** Data of an exported page that its first screen doesn't need. Of a year of nights, it is most of the page. */
interface FurtherData {
  readonly nightDetails: ReadonlyArray<NightDetail>
  readonly comparisons: ReadonlyArray<CompareOutput>
  /** The whole nights over time. */
  readonly trend: ReadonlyArray<TrendPoint>
  /** By row of `nights`, then by night: median milliseconds, 0 if nothing was measured. */
  readonly durations: ReadonlyArray<ReadonlyArray<number>>
  /** The same in USD; a row without any cost is empty. */
  readonly costs: ReadonlyArray<ReadonlyArray<number>>
}

/** Data of an exported page that its first screen may need. */
interface FirstData {
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
  readonly loads: ReadonlyArray<LoadSummary>
  readonly loadDetails: ReadonlyArray<LoadDetail & { readonly run: string }>
  readonly loadComparisons: ReadonlyArray<LoadComparisonSummary>
  /** By `<run>/<test>` of comparisons of two services, and by `<run>/<test>/<earlier run>` of two load tests. */
  readonly comparedLoads: Readonly<Record<string, LoadComparison>>
}

/** The data of an exported page. */
export interface EmbeddedData extends FirstData, FurtherData {}

/** The data of an exported page, as its element with the id `exportElement` holds it in JSON. */
export interface PackedData extends FirstData {
  /** `FurtherData` as JSON: gzip in base64, which a page unpacks when a screen needs it. */
  readonly further: string
}

/** Takes the data apart that the first screen doesn't need. `pack` makes gzip in base64 of a text. */
export const packedData = (
  { comparisons, costs, durations, nightDetails, trend, ...first }: EmbeddedData,
  pack: (text: string) => string
): PackedData => ({
  ...first,
  further: pack(JSON.stringify({ comparisons, costs, durations, nightDetails, trend } satisfies FurtherData))
})

const missing = (what: string): Effect.Effect<never, SourceError> =>
  Effect.fail({
    _tag: "MissingError",
    detail: `This page was exported without ${what}. Run webagent-harness ui in the project to see it.`
  })

const orMissing = <A>(value: A | undefined, what: string): Effect.Effect<A, SourceError> =>
  value === undefined ? missing(what) : Effect.succeed(value)

const bytesOf = (packed: string): Uint8Array<ArrayBuffer> => {
  const text = atob(packed)
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}

/** Unpacks JSON that this program has written, of the same version. */
const unpack = async <A>(packed: string): Promise<A> => {
  const stream = new Blob([bytesOf(packed)]).stream().pipeThrough(new DecompressionStream("gzip"))
  return (await new Response(stream).json()) as A
}

/** Returns the points of a scenario from the columns of the heat map. */
const pointsOf = (nights: NightsMap, { costs, durations }: FurtherData, row: number): ReadonlyArray<TrendPoint> =>
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
export const embeddedSource = (data: PackedData): Source => {
  const { comparedLoads, details, loadComparisons, loadDetails, loads, nights, project, runs, suites, traces } = data
  let unpacked: Promise<FurtherData> | undefined
  const further = Effect.tryPromise(() => (unpacked ??= unpack<FurtherData>(data.further))).pipe(
    Effect.catch(() => missing("readable details of its nights"))
  )
  const trendOf = (scenario: ScenarioName | null): Effect.Effect<Trend, SourceError> => {
    if (scenario === null) return Effect.map(further, ({ trend }) => ({ scenario, points: trend }))
    const row = nights.rows.findIndex(({ name, suite }) => suite === scenario.suite && name === scenario.name)
    return row < 0
      ? missing("this scenario")
      : Effect.map(further, (figures) => ({ scenario, points: pointsOf(nights, figures, row) }))
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
        : Effect.tryPromise(() => unpack<Trace>(packed)).pipe(
            Effect.catch(() => missing("a readable trace of this trial"))
          )
    },
    linkOf: (run, file) => (run === data.home ? file.split("/").map(encodeURIComponent).join("/") : undefined),
    reportOf: (night) => data.reports[night],
    nights: () => Effect.succeed(nights),
    figures: (figure) =>
      Effect.map(further, ({ costs, durations }) => ({
        nights: nights.nights.map(({ id }) => id),
        rows: figure === "duration" ? durations : costs
      })),
    night: (id) =>
      Effect.flatMap(further, ({ nightDetails }) =>
        orMissing(
          nightDetails.find(({ night }) => night.id === id),
          "the details of this night"
        )
      ),
    compare: (night, before) =>
      Effect.flatMap(further, ({ comparisons, costs, durations }) =>
        orMissing(
          comparisons.find((one) => one.after.id === night && one.before.id === before) ??
            compareEmbedded({ costs, durations, nights }, night, before),
          "one of these nights"
        )
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
export const embeddedData = (): PackedData | undefined => {
  const text = document.getElementById(exportElement)?.textContent
  return text === null || text === undefined ? undefined : (JSON.parse(text) as PackedData)
}
