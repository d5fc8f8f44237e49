import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import { dirname, join, resolve } from "node:path"
import * as EventLog from "../../run/events/EventLog.ts"
import { usage, usageOf } from "@webagent/cli/UserError"
import { counted, duration } from "@webagent/cli/Text"
import { statusOf } from "@webagent/report/Finding"
import { conclude } from "@webagent/findings/Conclusion"
import type { Night } from "@webagent/nights/Night"
import * as Money from "@webagent/cli/Money"
import type { RunReport } from "@webagent/report/RunReport"
import type { TotalLimits } from "../../run/shards/NightLimits.ts"
import { merge, type Merged, type ShardReport } from "../../run/shards/Merge.ts"
import { mergeEvents, type ShardEvents } from "../../run/shards/MergedEvents.ts"
import { describePlatformError } from "@webagent/cli/PlatformErrorText"
import { isOpen } from "@webagent/report/Trial"
import * as NightHistory from "../../run/NightHistory.ts"
import { ExitError } from "@webagent/cli/ExitCode"
import { program, quoted } from "../Program.ts"
import * as ReportDirectory from "../reports/ReportDirectory.ts"
import * as RunSession from "../run/RunSession.ts"
import * as ReportFile from "../ReportFile.ts"
import { terminal } from "@webagent/cli/Terminal"
import type { RunOptions } from "../RunFlags.ts"
import * as Folder from "@webagent/cli/Folder"
import * as AtomicFile from "@webagent/cli/AtomicFile"

/** Handles a folder whose report was never written: fails with a UserError, unless missing reports are allowed. */
const withoutReport = Effect.fnUntraced(function* (directory: string, why: string, allowMissing: boolean) {
  const killed = `${directory} has no report: ${why}.`
  if (!allowMissing) {
    return yield* usage(
      `${killed} Resume it if it was killed: ${program} run --resume ${quoted(directory)}. Or merge without it: --allow-missing.`
    )
  }
  const fs = yield* FileSystem.FileSystem
  const ledger = join(directory, "ledger")
  const open = (yield* Effect.orElseSucceed(fs.readDirectory(ledger), () => [])).length > 0
  const next = open ? ` Clean up after it: ${program} cleanup --ledger ${quoted(ledger)}` : ""
  yield* Console.error(`${killed} The shard is missing.${next}`)
})

/** The report of a shard; undefined of one that has none, and may be missing. */
export const read = Effect.fnUntraced(function* (directory: string, allowMissing: boolean) {
  const fs = yield* FileSystem.FileSystem
  const path = join(directory, "report.json")
  if (!(yield* Effect.orElseSucceed(fs.exists(directory), () => true))) {
    return yield* usage(`Folder ${directory} not found. Name the report folder of each shard.`)
  }
  const text = yield* Effect.result(fs.readFileString(path))
  if (Result.isFailure(text)) return yield* withoutReport(directory, describePlatformError(text.failure), allowMissing)
  const report = yield* ReportFile.decode(path, text.success)
  const traces = new Set(yield* Effect.orElseSucceed(fs.readDirectory(join(directory, "traces")), () => []))
  return { directory, report, has: (file) => traces.has(file.replace(/^traces\//u, "")) } satisfies ShardReport
})

/** The events of a shard; one that was told to write none has none. */
const eventsOf = Effect.fnUntraced(function* ({ directory }: ShardReport) {
  const path = join(directory, EventLog.fileName)
  const events = yield* EventLog.read(path).pipe(
    Effect.catchTags({
      BadLine: ({ line, message }) => Effect.fail(usage(`${path} cannot be read: line ${line}: ${message}.`)),
      PlatformError: (error) =>
        error.reason._tag === "NotFound"
          ? Effect.succeed([])
          : Effect.fail(usage(`${path} cannot be read: ${describePlatformError(error)}.`))
    })
  )
  return { directory, events } satisfies ShardEvents
})

const writeFiles = Effect.fnUntraced(
  function* (directory: string, merged: Merged, events: ReadonlyArray<ShardEvents> | undefined) {
    const fs = yield* FileSystem.FileSystem
    for (const { directory: from, from: file, to } of merged.traces) {
      yield* Folder.make(dirname(join(directory, to)))
      yield* fs.copyFile(join(from, file), join(directory, to))
    }
    if (events === undefined) return
    const lines = mergeEvents(events, merged).map(EventLog.lineOf)
    yield* AtomicFile.write(join(directory, EventLog.fileName), lines.join(""))
  },
  Effect.mapError(usageOf("The report cannot be written"))
)

/**
 * The report with the start under which its night is in the history. A shard that was missing may have started first, and a
 * night with another start would be a second one.
 */
const recordedAs = (report: RunReport, nights: ReadonlyArray<Night>): RunReport => {
  const { header, shards = [] } = report
  const night = nights.find(
    ({ fingerprint, seed, startedAt }) =>
      seed === header.seed &&
      fingerprint.trials === header.trials &&
      shards.some((shard) => shard.startedAt === startedAt)
  )
  return night === undefined ? report : { ...report, header: { ...header, startedAt: night.startedAt } }
}

/** Total cost and requests of all shards, compared with the limits of the night. */
const withinLimits = ({ cost_usd, counts, header: { limits } }: RunReport): string =>
  [
    ...(limits.cost_usd === undefined ? [] : [` · ${Money.shown(cost_usd)} of ${Money.shown(limits.cost_usd)}`]),
    ...(limits.requests === undefined ? [] : [` · ${counts.requests} of ${counted(limits.requests, "request")}`])
  ].join("")

/** Reports on the shards of a run as on one run; fails with ExitError when something is wrong. */
export const mergeShards = Effect.fnUntraced(function* (request: {
  readonly shards: ReadonlyArray<ShardReport>
  readonly allowMissing: boolean
  /** Limits of the whole. */
  readonly limits: TotalLimits
  /** As the shards were called, with the reporters and the folder of the whole. */
  readonly options: RunOptions
}) {
  const { options, shards } = request
  const merged = yield* Effect.mapError(Effect.fromResult(merge(shards, request)), usage)
  const history = yield* NightHistory.open(
    options,
    merged.report.results.map(({ name, suite }) => ({ suite, name }))
  )
  const started = recordedAs(merged.report, history.nights)
  const report = conclude(history.conclude(started))
  const wanted = options.reporters.includes("ndjson")
  const events = wanted ? yield* Effect.forEach(shards, eventsOf) : undefined
  const { reportDir } = options
  const own = shards.find(({ directory }) => reportDir !== undefined && resolve(directory) === resolve(reportDir))
  if (own !== undefined) return yield* usage(`${own.directory} is a shard: choose another folder with --report-dir.`)
  const directory = yield* ReportDirectory.create(reportDir)
  yield* writeFiles(directory, { ...merged, report }, events)

  const { style, write } = yield* terminal
  const all_ms = (report.shards ?? []).reduce((sum, { duration_ms }) => sum + duration_ms, 0)
  if (options.reporters.includes("console")) {
    yield* write(
      `${style.strong(`merging ${counted(shards.length, "shard")}`)} · the longest took ${duration(report.duration_ms)}, all ${duration(all_ms)} together${withinLimits(report)}\n`
    )
  }
  const { finish, replayed } = yield* RunSession.make({
    options: { ...options, reportDir: directory, reporters: options.reporters.filter((name) => name !== "ndjson") },
    argumentOf: (suite) => report.header.suites.find(({ name }) => name === suite)?.argument ?? suite,
    history,
    // a ledger is in the folder of its shard
    ledgerIn: shards.find(({ report }) => report?.leftovers?.some(isOpen))?.directory
  })
  yield* replayed(report)
  yield* finish(report)
  if (statusOf(report.findings ?? []) === "failed") return yield* new ExitError({ exitCode: 1 })
}, Effect.scoped)
