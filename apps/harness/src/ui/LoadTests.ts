import {
  CannotError,
  type LoadComparison,
  type LoadComparisonSummary,
  type LoadDetail,
  type LoadSummary,
  type MissingError
} from "@webagent/harness-api"
import * as AbComparison from "@webagent/load/AbComparison"
import { AbReport } from "@webagent/load/AbReport"
import * as Baseline from "@webagent/load/Baseline"
import * as BaselineFile from "@webagent/load/BaselineFile"
import { LoadReport } from "@webagent/load/LoadReport"
import { TimeSeries } from "@webagent/load/TimeSeries"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { RunFolders } from "./RunFolders.ts"

/** The load tests in the folders of runs. */
export interface LoadTests {
  readonly list: Effect.Effect<ReadonlyArray<LoadSummary>>
  readonly get: (run: string, test: string) => Effect.Effect<LoadDetail, MissingError | CannotError>
  /** A test compared with the same test of an earlier run. */
  readonly compare: (
    run: string,
    test: string,
    before: string
  ) => Effect.Effect<LoadComparison, MissingError | CannotError>
  /** Comparisons of two services. */
  readonly comparisons: Effect.Effect<ReadonlyArray<LoadComparisonSummary>>
  readonly comparison: (run: string, test: string) => Effect.Effect<LoadComparison, MissingError | CannotError>
}

const decodeReport = Schema.decodeUnknownEffect(Schema.fromJsonString(LoadReport))
const decodeSeries = Schema.decodeUnknownEffect(Schema.fromJsonString(TimeSeries))

const decodeComparison = Schema.decodeUnknownEffect(Schema.fromJsonString(AbReport))

const testOf = (file: string): string | undefined => /^load-(?<test>[^.]+)\.json$/u.exec(file)?.groups?.["test"]
const comparedTestOf = (file: string): string | undefined => /^ab-(?<test>[^.]+)\.json$/u.exec(file)?.groups?.["test"]

/** JSON has no infinite numbers, and an interval over one pair has no ends. */
const finite = (value: number): number | null => (Number.isFinite(value) ? value : null)

const rowOf = (row: AbComparison.Row): LoadComparison["rows"][number] => ({
  ...row,
  // a change of a metric that was 0 is no number either
  change: finite(row.change) ?? 1,
  low: finite(row.low),
  high: finite(row.high),
  detectable: finite(row.detectable)
})

const sideOf = (run: string, { startedAt, target, thresholds, verdict }: LoadReport): LoadComparison["a"] => ({
  run,
  target,
  startedAt,
  verdict,
  thresholds
})

/** Settings of two tests that differ: the measurements are then of different loads. */
const differencesOf = (a: LoadReport, b: LoadReport): ReadonlyArray<string> => {
  const settingsOf = ({ duration_ms, rate, settings, target }: LoadReport) => ({
    target: target.simulated ? "simulated" : target.address,
    rate,
    duration_ms,
    ...Struct.omit(settings, ["thresholds"])
  })
  const [before, now]: ReadonlyArray<Readonly<Record<string, unknown>>> = [settingsOf(a), settingsOf(b)]
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(now ?? {})])].flatMap((name) => {
    const [was, is] = [before?.[name], now?.[name]]
    return was === is ? [] : [`${name} ${String(is ?? "by default")}, was ${String(was ?? "by default")}`]
  })
}

const summaryOf = (run: string, report: LoadReport): LoadSummary => {
  const { duration_ms, measurements, rate, startedAt, target, test, thresholds, took_ms, verdict } = report
  const { errors, requests, throughput } = measurements
  const crossed = thresholds.filter(({ ok }) => !ok).map(({ name }) => name)
  return { run, test, startedAt, verdict, target, rate, duration_ms, took_ms, throughput, errors, requests, crossed }
}

/** Makes the load tests of the folders of runs. `baseline` is the file of recorded tests; undefined without one. */
export const make = Effect.fnUntraced(function* (
  folders: RunFolders,
  { baseline, tolerance }: { readonly baseline: string | undefined; readonly tolerance: number }
) {
  const fs = yield* FileSystem.FileSystem

  const read = Effect.fnUntraced(function* (run: string, test: string) {
    const path = yield* folders.fileOf(run, `load-${test}.json`)
    return yield* fs.readFileString(path).pipe(
      Effect.flatMap(decodeReport),
      Effect.mapError(
        () => new CannotError({ detail: `The report of load test "${test}" can't be read: it isn't of this version.` })
      )
    )
  })

  const compared = Effect.fnUntraced(function* ({ measurements, startedAt, test }: LoadReport) {
    if (baseline === undefined) return null
    const all = yield* BaselineFile.read(baseline).pipe(
      Effect.provideService(FileSystem.FileSystem, fs),
      Effect.orElseSucceed(() => [])
    )
    // the test itself, if it was recorded, says on which machine and with which settings it ran
    const own = all.findLast((entry) => entry.test === test && entry.startedAt <= startedAt)
    if (own === undefined) return null
    const { machine, settings } = own
    const before = all.filter((entry) => entry.startedAt < startedAt)
    const { leftOut, rows, runs } = Baseline.compare(before, { test, machine, settings, measurements }, tolerance)
    return {
      runs,
      rows: rows.map(({ high, low, name, now, verdict }) => ({ name, now, low, high, verdict })),
      leftOut
    }
  })

  const readComparison = Effect.fnUntraced(function* (run: string, test: string) {
    const path = yield* folders.fileOf(run, `ab-${test}.json`)
    return yield* fs.readFileString(path).pipe(
      Effect.flatMap(decodeComparison),
      Effect.mapError(
        () => new CannotError({ detail: `The comparison "${test}" can't be read: it isn't of this version.` })
      )
    )
  })

  /** One row for each file of all runs that can be read, the newest first. */
  const listOf = <A extends { readonly startedAt: string }, E>(
    nameOf: (file: string) => string | undefined,
    rowFor: (run: string, test: string) => Effect.Effect<A, E>
  ): Effect.Effect<ReadonlyArray<A>> =>
    Effect.gen(function* () {
      const ofRun = Effect.fnUntraced(function* (run: string) {
        const files = yield* Effect.orElseSucceed(folders.filesOf(run), () => [])
        const tests = files.flatMap(({ name }) => nameOf(name) ?? [])
        const all = yield* Effect.forEach(tests, (test) => Effect.option(rowFor(run, test)))
        return all.flatMap((one) => (one._tag === "Some" ? [one.value] : []))
      })
      const all = yield* Effect.forEach(yield* folders.names, ofRun, { concurrency: 4 })
      return all.flat().toSorted((one, other) => (one.startedAt < other.startedAt ? 1 : -1))
    })

  return {
    list: listOf(testOf, (run, test) => Effect.map(read(run, test), (report) => summaryOf(run, report))),
    comparisons: listOf(comparedTestOf, (run, test) =>
      Effect.map(readComparison(run, test), ({ a, b, pairs, startedAt, verdict }) => ({
        run,
        test,
        startedAt,
        a,
        b,
        pairs: pairs.length,
        verdict
      }))
    ),
    comparison: Effect.fnUntraced(function* (run, test) {
      const { a, b, pairs, rows, startedAt, tolerance: tolerated, verdict } = yield* readComparison(run, test)
      const side = (target: typeof a) => ({ run: null, target, startedAt, verdict: null, thresholds: [] })
      return {
        test,
        a: side(a),
        b: side(b),
        pairs: pairs.length,
        tolerance: tolerated,
        differences: [],
        rows: rows.map(rowOf),
        verdict
      }
    }),
    compare: Effect.fnUntraced(function* (run, test, before) {
      if (run === before) return yield* new CannotError({ detail: "A load test can't be compared with itself." })
      const [a, b] = [yield* read(before, test), yield* read(run, test)]
      const rows = AbComparison.of([{ a: a.measurements, b: b.measurements }], { tolerance })
      return {
        test,
        a: sideOf(before, a),
        b: sideOf(run, b),
        pairs: 1,
        tolerance,
        differences: differencesOf(a, b),
        rows: rows.map(rowOf),
        verdict: AbComparison.conclusionOf(rows)
      }
    }),
    get: Effect.fnUntraced(function* (run, test) {
      const report = yield* read(run, test)
      const series = yield* folders.fileOf(run, `load-${test}.series.json`).pipe(
        Effect.flatMap((path) => fs.readFileString(path)),
        Effect.flatMap(decodeSeries),
        Effect.orElseSucceed(() => null)
      )
      return { report, series, baseline: yield* compared(report) }
    })
  } satisfies LoadTests
})
