import { CannotError, type LastResult, type MissingError, type RunState } from "@webagent/harness-api"
import { RunHeader, type RunReport } from "@webagent/report/RunReport"
import { Trace } from "@webagent/report/Trace"
import { isScored } from "@webagent/report/Trial"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ReportFile from "../cli/ReportFile.ts"
import * as EventLog from "../run/events/EventLog.ts"
import * as RunLock from "../run/events/RunLock.ts"
import { scenarioKey } from "../run/RunnerOptions.ts"
import { finished, type Summary } from "../page/RunSummary.ts"
import type { RunFolders } from "./RunFolders.ts"

const reportName = "report.json"

/** The reports of runs, read from their folders when one asks for them. */
export interface RunReports {
  /** Undefined for a folder without a run. */
  readonly summary: (run: string) => Effect.Effect<Summary | undefined>
  /** The results of a finished run's scenarios by `scenarioKey`. */
  readonly results: (run: string) => Effect.Effect<ReadonlyMap<string, LastResult>>
  /** Null until the run has finished. */
  readonly report: (run: string) => Effect.Effect<RunReport | null, MissingError | CannotError>
  readonly trace: (run: string, number: number) => Effect.Effect<Trace, MissingError | CannotError>
}

const RunStarted = Schema.fromJsonString(Schema.TaggedStruct("RunStarted", { header: RunHeader }))

const decodeStarted = Schema.decodeUnknownOption(RunStarted)
const decodeTrace = Schema.decodeUnknownEffect(Schema.fromJsonString(Trace))

const cannotRead = (run: string, what: string) =>
  new CannotError({
    detail: `${what} of run "${run}" can't be read: it isn't of this version, or the file is damaged.`
  })

/** Size and time of a file: another content has another stamp. */
const stampOf = ({ mtime, size }: FileSystem.File.Info): string =>
  `${size} ${Option.match(mtime, { onNone: () => 0, onSome: (date) => date.getTime() })}`

const unfinished = (id: string, state: RunState, { selection, startedAt, suites, target }: RunHeader): Summary => ({
  id,
  state,
  startedAt,
  duration_ms: null,
  status: null,
  findings: [],
  counts: null,
  scenarios: suites.reduce((sum, { scenarios }) => sum + scenarios, 0),
  cost_usd: null,
  target: { name: target.name, address: target.address, simulated: target.simulated },
  selection: selection ?? null,
  partial: null
})

const resultsOf = (run: string, { header, results }: RunReport): ReadonlyMap<string, LastResult> =>
  new Map(
    results
      .filter(({ trials }) => trials.length > 0)
      .map(({ name, suite, trials, verdict }) => [
        scenarioKey(suite, name),
        {
          verdict,
          passed: trials.filter((trial) => trial.verdict === "passed").length,
          scored: trials.filter(isScored).length,
          at: header.startedAt,
          run
        }
      ])
  )

/** The first event of a run can be long: it has the plan of a shard. */
const longestHeader_bytes = 4_000_000

/** Makes the reports of the runs in these folders. Rows of the list are kept as long as their file doesn't change. */
export const make = Effect.fnUntraced(function* (folders: RunFolders) {
  const fs = yield* FileSystem.FileSystem
  const kept = new Map<string, { readonly stamp: string; readonly summary: Summary | undefined }>()

  const report = Effect.fnUntraced(function* (run: string) {
    yield* folders.pathOf(run)
    const path = yield* Effect.option(folders.fileOf(run, reportName))
    if (Option.isNone(path)) return null
    const text = yield* Effect.mapError(fs.readFileString(path.value), () => cannotRead(run, "The report"))
    return yield* Effect.mapError(ReportFile.decode(reportName, text), () => cannotRead(run, "The report"))
  })

  const ofReport = (run: string) =>
    Effect.match(report(run), {
      onFailure: () => undefined,
      onSuccess: (one) => (one === null ? undefined : finished(run, one))
    })

  /** A run without a report: it is running, or was killed. */
  const ofEvents = (run: string) =>
    Effect.gen(function* () {
      const path = yield* folders.fileOf(run, EventLog.fileName)
      const [first = ""] = yield* fs
        .stream(path, { bytesToRead: longestHeader_bytes })
        .pipe(Stream.decodeText, Stream.splitLines, Stream.take(1), Stream.runCollect)
      const started = decodeStarted(first)
      if (Option.isNone(started)) return undefined
      const held = RunLock.isHeld(yield* folders.pathOf(run))
      const isRunning = yield* Effect.provideService(held, FileSystem.FileSystem, fs)
      return unfinished(run, isRunning ? "running" : "killed", started.value.header)
    }).pipe(Effect.orElseSucceed(() => undefined))

  return {
    report,
    summary: Effect.fnUntraced(function* (run) {
      const info = yield* Effect.option(Effect.flatMap(folders.fileOf(run, reportName), fs.stat))
      if (Option.isNone(info)) return yield* ofEvents(run)
      const stamp = stampOf(info.value)
      const cached = kept.get(run)
      if (cached?.stamp === stamp) return cached.summary
      const summary = yield* ofReport(run)
      kept.set(run, { stamp, summary })
      return summary
    }),
    results: (run) =>
      Effect.match(report(run), {
        onFailure: () => new Map(),
        onSuccess: (one) => (one === null ? new Map() : resultsOf(run, one))
      }),
    trace: Effect.fnUntraced(function* (run, number) {
      const path = yield* folders.fileOf(run, "traces", `${number}.json`)
      const text = yield* Effect.mapError(fs.readFileString(path), () => cannotRead(run, `Trace ${number}`))
      return yield* Effect.mapError(decodeTrace(text), () => cannotRead(run, `Trace ${number}`))
    })
  } satisfies RunReports
})
