import {
  CannotError,
  type CompareOutput as Compared,
  MissingError,
  type NightDetail,
  type Trend
} from "@webagent/harness-api"
import * as NightChanges from "@webagent/findings/NightChanges"
import type { Night } from "@webagent/nights/Night"
import * as NightComparison from "@webagent/nights/NightComparison"
import { changedScenarios, eligible, most, type Past } from "@webagent/nights/Past"
import { describePlatformError } from "@webagent/cli/PlatformErrorText"
import * as Effect from "effect/Effect"
import { dirname, join, relative } from "node:path"
import * as ReportDirectory from "../cli/reports/ReportDirectory.ts"
import * as CompareOutput from "../cli/compare/CompareOutput.ts"
import * as HistoryIndex from "../page/HistoryIndex.ts"
import * as NightsView from "../page/NightsView.ts"
import type { RunFolders } from "./RunFolders.ts"
import type { RunReports } from "./RunReports.ts"

/** The id of a night's run, if its report is in the folder of runs; undefined if it's elsewhere, or nowhere. */
export const runOf = (history: string, { head: { report } }: HistoryIndex.IndexedNight): string | undefined => {
  if (report === undefined) return undefined
  const name = relative(ReportDirectory.runs, join(dirname(history), report))
  return /^[^./\\][^/\\]*$/u.test(name) ? name : undefined
}

/** The nights of a history, read when one asks for them. */
export type NightsModel = Effect.Success<ReturnType<typeof make>>

/** Makes the nights of a history file. */
export const make = Effect.fnUntraced(function* (
  history: string,
  { folders, reports }: { readonly folders: RunFolders; readonly reports: RunReports }
) {
  const reader = yield* HistoryIndex.make(history)
  const index = Effect.mapError(
    reader.read,
    (error) => new CannotError({ detail: `The history can't be read: ${describePlatformError(error)}.` })
  )

  const noNight = (id: string) => new MissingError({ detail: `${history} has no night ${id}.` })

  const indexedNight = Effect.fnUntraced(function* (id: string) {
    const past = yield* index
    const at = past.nights.findIndex(({ head }) => head.id === id)
    const indexed = past.nights[at]
    return indexed === undefined ? yield* noNight(id) : { past, at, indexed }
  })

  const wholeNight = (indexed: HistoryIndex.IndexedNight) =>
    Effect.flatMap(
      Effect.orElseSucceed(reader.night(indexed), () => undefined),
      (night) => (night === undefined ? Effect.fail(noNight(indexed.head.id)) : Effect.succeed(night))
    )

  const night = Effect.fnUntraced(function* (id: string) {
    const { at, indexed, past } = yield* indexedNight(id)
    const whole = yield* wholeNight(indexed)
    const accepted = past.accepted.filter((one) => one.night === id)
    const runId = runOf(history, indexed)
    const names = yield* folders.names
    return {
      night: whole,
      run: runId !== undefined && names.includes(runId) ? runId : null,
      previous: past.nights[at - 1]?.head.id ?? null,
      next: past.nights[at + 1]?.head.id ?? null,
      accepted: accepted.some(({ scenario }) => scenario === undefined)
        ? (true as const)
        : accepted.flatMap(({ scenario }) => scenario ?? []),
      acknowledged: past.acknowledged.filter((one) => one.night === id)
    } satisfies NightDetail
  })

  /** A night with its report, whose trials can be paired by their seeds. */
  const compared = Effect.fnUntraced(function* (indexed: HistoryIndex.IndexedNight) {
    const whole = yield* wholeNight(indexed)
    const id = runOf(history, indexed)
    const report = id === undefined ? null : yield* Effect.orElseSucceed(reports.report(id), () => null)
    return { night: whole, report: report ?? undefined } satisfies NightComparison.Compared
  })

  const compare = Effect.fnUntraced(function* (id: string, before: string) {
    const { indexed, past } = yield* indexedNight(id)
    const earlier = (yield* indexedNight(before)).indexed
    if (indexed === earlier) return yield* new CannotError({ detail: "A night can't be compared with itself." })
    const [a, b] = [yield* compared(earlier), yield* compared(indexed)]
    const heads = past.nights.map(({ head }) => head)
    const near = eligible(heads, { ...indexed.head, startedAt: "9999" }).nights.slice(-most)
    const byId = new Map(past.nights.map((one) => [one.head.id, one]))
    const others: Array<Night> = []
    for (const head of near) {
      const one = byId.get(head.id)
      if (one !== undefined) others.push(yield* wholeNight(one))
    }
    const comparison = NightComparison.compare(a, b, others)
    if (comparison.scenarios === 0) {
      return yield* new CannotError({
        detail:
          changedScenarios(b.night, a.night) === 0
            ? "The two nights have no scenario in common that was scored in both."
            : "The code of all common scenarios changed between the two nights, so nothing is left to compare."
      })
    }
    const conclusion = NightChanges.conclude({ a, b, comparison, nights: others })
    const output: Compared = CompareOutput.of({ a: a.night, b: b.night, comparison, conclusion })
    return output
  })

  const trend = Effect.fnUntraced(function* (suite: string | undefined, name: string | undefined) {
    const past = yield* index
    if (suite === undefined || name === undefined) return NightsView.wholeTrend(past)
    const trend: Trend | undefined = NightsView.trendOf(past, suite, name)
    return trend ?? (yield* new MissingError({ detail: `No night has a scenario "${name}" of suite "${suite}".` }))
  })

  /** The nights of runs by the run's id; none if the history can't be read. */
  const nightOfRun = Effect.match(index, {
    onFailure: () => new Map<string, string>(),
    onSuccess: ({ nights }) =>
      new Map(
        nights.flatMap((night) => {
          const run = runOf(history, night)
          return run === undefined ? [] : [[run, night.head.id] as const]
        })
      )
  })

  /** The history with one night whole, and the others without their scenarios: a year of those takes 200 MB. */
  const pastWith = Effect.fnUntraced(function* (id: string) {
    const { indexed, past } = yield* indexedNight(id)
    const whole = yield* wholeNight(indexed)
    const { accepted, acknowledged, nights } = past
    return { accepted, acknowledged, nights: nights.map((one) => (one === indexed ? whole : one.head)) } satisfies Past
  })

  return { index, nightOfRun, night, compare, trend, pastWith }
})
