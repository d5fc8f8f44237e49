import type { CompareOutput, LoadComparison, NightDetail, Run } from "@webagent/harness-api"
import type { EmbeddedData } from "@webagent/harness-api/Embedded"
import { pageSize } from "@webagent/harness-api"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Traces from "../page/Traces.ts"
import type { Model } from "./Model.ts"

/** Limits of a page, so that it opens at once. */
const most = { nights: 365, nightDetails: 7, comparisons: 3, runs: 3, loads: 5 } as const

/** Comparisons of two services, and of the newest tests with the one of the same name before. */
const comparedLoads = Effect.fnUntraced(function* ({ loads }: Model) {
  const [comparisons, tests] = [yield* loads.comparisons, yield* loads.list]
  const earlier = (at: number) => tests.slice(at + 1).find(({ test }) => test === tests[at]?.test)?.run
  const wanted: ReadonlyArray<readonly [key: string, read: Effect.Effect<LoadComparison, unknown>]> = [
    ...comparisons
      .slice(0, most.loads)
      .map(({ run, test }) => [`${run}/${test}`, loads.comparison(run, test)] as const),
    ...tests.slice(0, most.loads).flatMap(({ run, test }, at) => {
      const before = earlier(at)
      return before === undefined ? [] : [[`${run}/${test}/${before}`, loads.compare(run, test, before)] as const]
    })
  ]
  const all = yield* Effect.forEach(wanted, ([key, read]) =>
    Effect.match(read, { onFailure: () => [], onSuccess: (one) => [[key, one] as const] })
  )
  return { loadComparisons: comparisons, comparedLoads: Object.fromEntries(all.flat()) }
})

/** The data of an exported page: what its screens would read from the API. What can't be read is left out. */
export const gather = Effect.fnUntraced(function* (model: Model, fs: FileSystem.FileSystem) {
  const orNone = <A, E>(read: Effect.Effect<A, E>): Effect.Effect<ReadonlyArray<A>> =>
    Effect.orElseSucceed(
      Effect.map(read, (one) => [one]),
      () => []
    )
  const nights = yield* model.nights(most.nights)
  const runs = yield* model.runs({ limit: pageSize.most })
  const finished = runs.rows.filter(({ state }) => state === "finished").slice(0, most.runs)
  const details: ReadonlyArray<Run> = (yield* Effect.forEach(finished, ({ id }) => orNone(model.run(id)))).flat()
  const traces: Array<readonly [string, string]> = []
  let left = Traces.most
  for (const { id, report } of details) {
    if (report === null) continue
    const read = (file: string) => Effect.flatMap(model.folders.fileOf(id, ...file.split("/")), fs.readFileString)
    const { packed, size } = yield* Traces.packed(report, read, left)
    traces.push(...packed.map(([file, one]) => [`${id}/${file}`, one] as const))
    left -= size
  }
  const ids = nights.nights.map(({ id }) => id)
  const nightDetails: ReadonlyArray<NightDetail> = (yield* Effect.forEach(ids.slice(-most.nightDetails), (id) =>
    orNone(model.night(id))
  )).flat()
  const last = ids.at(-1)
  const comparisons: ReadonlyArray<CompareOutput> =
    last === undefined
      ? []
      : (yield* Effect.forEach(ids.slice(-1 - most.comparisons, -1), (before) =>
          orNone(model.compare(last, before))
        )).flat()
  const loads = yield* model.loads.list
  const loadDetails = yield* Effect.forEach(loads.slice(0, most.loads), ({ run, test }) =>
    Effect.map(orNone(model.loads.get(run, test)), (details) => details.map((detail) => ({ ...detail, run })))
  )
  return {
    format: 1,
    start: null,
    home: null,
    reports: {},
    project: yield* model.project,
    suites: yield* model.suites,
    // a page that is a file has no next page
    runs: { ...runs, next: null },
    details,
    traces: Object.fromEntries(traces),
    nights,
    nightDetails,
    comparisons,
    trend: (yield* model.trend(undefined, undefined)).points,
    durations: (yield* model.figures("duration", most.nights)).rows,
    costs: (yield* model.figures("cost", most.nights)).rows,
    loads,
    loadDetails: loadDetails.flat(),
    ...(yield* comparedLoads(model))
  } satisfies EmbeddedData
})
