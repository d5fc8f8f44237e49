import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { dirname, join } from "node:path"
import * as Config from "../../config/Config.ts"
import * as Project from "../../config/Project.ts"
import type { Night } from "@webagent/nights/Night"
import * as Folder from "@webagent/cli/Folder"
import { type UserError, usage } from "@webagent/cli/UserError"
import * as HtmlReporter from "../../page/HtmlReporter.ts"
import * as ConsoleReporter from "../../reporters/ConsoleReporter.ts"
import * as GitHubReporter from "../../reporters/GitHubReporter.ts"
import * as JsonReporter from "../../reporters/JsonReporter.ts"
import * as JUnitReporter from "../../reporters/JUnitReporter.ts"
import * as MarkdownReporter from "../../reporters/MarkdownReporter.ts"
import type { Replay, Reporter } from "../../reporters/Reporter.ts"
import type { RunEvent } from "@webagent/report/RunEvent"
import type { RunReport } from "@webagent/report/RunReport"
import { describePlatformError } from "@webagent/cli/PlatformErrorText"
import * as TrialOutput from "../../observe/TrialOutput.ts"
import * as EventReporting from "./EventReporting.ts"
import * as ReportDirectory from "./ReportDirectory.ts"
import type { Resumed } from "../Resumed.ts"
import { isSet, terminal, variable } from "@webagent/cli/Terminal"
import type { RunOptions } from "../RunFlags.ts"

/** Options that a command passes to the reporters of a run. */
interface ReportingOptions {
  readonly options: RunOptions
  readonly replay: Replay
  /** Suggests the next step, and how to stop leftover resources, from the report and its folder. */
  readonly next: (report: RunReport, directory: string | undefined) => string | undefined
  readonly reap: (report: RunReport, directory: string | undefined) => string | undefined
  /** The nights before, oldest first, for the trends of the page, and the file that they are from. */
  readonly nights?: ReadonlyArray<Night>
  readonly history?: string | undefined
  /** A run that goes on in its own report directory, which this process has taken already. */
  readonly resumed?: Resumed | undefined
}

const files = Config.fileReporterNames

const cannotWriteTo = (error: PlatformError) => usage(`The report cannot be written: ${describePlatformError(error)}.`)

/** The reporters that write files. What a job's summary and log are is GitHub's own way to say so. */
const fileReporters = Effect.fnUntraced(function* (
  directory: string,
  { history, nights = [], options, reap: reapIn, replay }: ReportingOptions
) {
  const hasPage = options.reporters.includes("html")
  const page = hasPage ? { page: join(directory, HtmlReporter.fileName) } : {}
  const reap = (report: RunReport) => reapIn(report, directory)
  const project = yield* Project.Project
  const pathsOf = Effect.fnUntraced(function* (name: (typeof files)[number], file: string) {
    if (!options.reporters.includes(name)) return []
    const named = Config.fileOf(project.config, name)
    if (named === undefined) return [join(directory, file)]
    const path = Project.fromHere(project, named)
    yield* Folder.make(dirname(path))
    return [join(directory, file), path]
  }, Effect.mapError(cannotWriteTo))
  return [
    ...(yield* pathsOf("json", "report.json")).map((path) => JsonReporter.make(path)),
    ...(yield* pathsOf("junit", "junit.xml")).map((path) => JUnitReporter.make(path, replay, page.page)),
    ...(yield* pathsOf("markdown", "summary.md")).map((path) => MarkdownReporter.make({ path, replay, reap, ...page })),
    ...(hasPage ? [HtmlReporter.make({ directory, replay, reap, nights, history })] : [])
  ]
})

/** The reporter of a job of GitHub Actions; none elsewhere. */
const gitHubReporter = Effect.fnUntraced(function* (
  { replay }: ReportingOptions,
  page: string | undefined,
  reap: (report: RunReport) => string | undefined
) {
  const jobSummary = yield* variable("GITHUB_STEP_SUMMARY")
  const { write } = yield* terminal
  const annotate = (yield* isSet("GITHUB_ACTIONS")) ? write : undefined
  if (jobSummary === undefined && annotate === undefined) return []
  const root = yield* variable("GITHUB_WORKSPACE")
  return [GitHubReporter.make({ replay, reap, page, jobSummary, annotate, root })]
})

/** The user can fix a full disk; a page that cannot be drawn is a bug of ours. Either is one sentence. */
const cannotWrite = (cause: Cause.Cause<PlatformError>) => {
  const failed = cause.reasons.find(Cause.isFailReason)
  const why = failed === undefined ? Cause.squash(cause) : describePlatformError(failed.error)
  return usage(`The report cannot be written: ${why instanceof Error ? why.message : String(why)}.`)
}

/**
 * Starts the chosen reporters. `emit` hands them an event, `finish` waits until each has written what it can: one that
 * fails, or is wrong, keeps none of the others from it. `end` is for when nothing else is left to do.
 */
export const start = Effect.fnUntraced(function* (reporting: ReportingOptions) {
  const { options, replay } = reporting
  const directory = files.some((name) => options.reporters.includes(name))
    ? (reporting.resumed?.directory ?? (yield* ReportDirectory.create(options.reportDir)))
    : undefined
  const reporters: Array<Reporter<FileSystem.FileSystem>> =
    directory === undefined ? [] : [...(yield* fileReporters(directory, reporting))]
  const page = options.reporters.includes("html") ? [HtmlReporter.fileName] : []
  const pagePath = directory === undefined ? undefined : join(directory, ...page)
  if (options.reporters.includes("github")) {
    reporters.push(
      ...(yield* gitHubReporter(reporting, page.length === 0 ? undefined : pagePath, (report) =>
        reporting.reap(report, directory)
      ))
    )
  }
  // what scenarios print stays out of what another program reads
  let screen: Reporter<FileSystem.FileSystem> | undefined
  let isWritten = true
  let show: TrialOutput.Show = (_, text, trial) => void process.stderr.write(TrialOutput.attributed(text, trial))
  if (options.reporters.includes("console")) {
    const reportPath = pagePath === undefined ? {} : { reportPath: pagePath }
    const stdout = yield* terminal
    // what is shown on standard error would be drawn over
    const live = stdout.live && !options.debug
    const logged: Array<string> = []
    show = (stream, text, trial) => {
      const lines = TrialOutput.attributed(text, trial)
      if (!live) return void process[stream].write(lines)
      // a line that is written beside what is redrawn would be drawn over
      logged.push(
        ...lines
          .replace(/\n$/u, "")
          .split("\n")
          .map((line) => `  ${line}`)
      )
    }
    const next = (report: RunReport) => reporting.next(report, directory)
    screen = ConsoleReporter.make({ ...stdout, live, replay, next, ...reportPath, logged, isWritten: () => isWritten })
  }
  const eventLog =
    directory !== undefined && options.reporters.includes("ndjson")
      ? yield* EventReporting.start(directory, reporting.resumed !== undefined)
      : EventReporting.none
  const startOne = (reporter: Reporter<FileSystem.FileSystem>) =>
    Effect.gen(function* () {
      const queue = yield* Queue.unbounded<RunEvent, Cause.Done>()
      const events = Stream.fromQueue(queue)
      return { queue, fiber: yield* Effect.forkChild(Effect.exit(Effect.suspend(() => reporter(events)))) }
    })
  const started = yield* Effect.forEach(reporters, startOne)
  const shown = screen === undefined ? undefined : yield* startOne(screen)
  const end = Effect.fnUntraced(function* (all: typeof started) {
    const exits = yield* Effect.forEach(all, ({ fiber, queue }) => Effect.andThen(Queue.end(queue), Fiber.join(fiber)))
    const failed = exits.find(Exit.isFailure)
    if (failed !== undefined) return yield* cannotWrite(failed.cause)
  })
  let last: RunEvent | undefined
  return {
    /** The report directory; undefined if no reports are written. */
    directory,
    /** Runs an effect while the reporters show its progress, and captures its output. */
    showing: TrialOutput.captured(show),
    emit: (event: RunEvent) =>
      Effect.andThen(
        eventLog.emit(event),
        Effect.suspend(() => {
          // its verdict waits until everything is written
          const isLast = event._tag === "RunFinished"
          if (isLast) last = event
          return Effect.forEach(
            shown === undefined || isLast ? started : [...started, shown],
            ({ queue }) => Queue.offer(queue, event),
            { discard: true }
          )
        })
      ),
    finish: end(started),
    /** Shows the verdict; `written` tells whether every report and the history were written. */
    show: Effect.fnUntraced(function* (written: boolean) {
      if (shown === undefined) return
      isWritten = written
      if (last !== undefined) yield* Queue.offer(shown.queue, last)
      yield* end([shown])
    }),
    /** Writes down that the run is over: one that is killed before that can be taken up again. */
    end: Effect.catchCause(eventLog.finish, cannotWrite)
  }
})

/** Fails as the second did, and says of the first that it did, too. */
export const both = Effect.fnUntraced(function* (one: Exit.Exit<void, UserError>, other: Exit.Exit<void, UserError>) {
  if (Exit.isFailure(one) && Exit.isFailure(other)) {
    const also = one.cause.reasons.find(Cause.isFailReason)
    if (also !== undefined) yield* Console.error(also.error.message)
  }
  yield* other
  yield* one
})
