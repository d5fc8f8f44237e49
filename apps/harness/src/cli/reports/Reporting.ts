import { describePlatformError } from "@webagent/cli/PlatformErrorText"
import { terminal } from "@webagent/cli/Terminal"
import { counted } from "@webagent/cli/Text"
import { usage } from "@webagent/cli/UserError"
import type { RunEvent } from "@webagent/report/RunEvent"
import type { RunReport } from "@webagent/report/RunReport"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { PlatformError } from "effect/PlatformError"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { join } from "node:path"
import * as TrialOutput from "../../observe/TrialOutput.ts"
import * as HtmlReporter from "../../page/HtmlReporter.ts"
import * as ConsoleReporter from "../../reporters/ConsoleReporter.ts"
import { consume, type Reporter, type ReporterContext } from "../../reporters/Reporter.ts"
import type { Resumed } from "../Resumed.ts"
import type { RunOptions } from "../RunFlags.ts"
import * as EventReporting from "./EventReporting.ts"
import * as ReportDirectory from "./ReportDirectory.ts"
import * as Reporters from "./Reporters.ts"

/** Options that a command passes to the reporters of a run. */
interface ReportingOptions extends Pick<ReporterContext, "replay" | "ignoring" | "nights" | "history" | "commands"> {
  readonly options: RunOptions
  /** Suggests the next step, and how to stop leftover resources, from the report and its folder. */
  readonly next: (report: RunReport, directory: string | undefined) => string | undefined
  readonly reap: (report: RunReport, directory: string | undefined) => string | undefined
  /** A resumed run, whose report directory this process already holds. */
  readonly resumed?: Resumed | undefined
}

/** Describes a failure: the user can fix a full disk, and the author of a reporter its exception. */
const failureOf = (reporter: string, cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  if (error instanceof PlatformError) return `The report cannot be written: ${describePlatformError(error)}.`
  return `Reporter ${reporter} failed: ${error instanceof Error ? error.message : String(error)}.`
}

/** The console reporter, which shares the terminal with the output of scenarios. */
const makeScreen = Effect.fnUntraced(function* (
  { debug }: RunOptions,
  options: Pick<ConsoleReporter.ConsoleOptions, "replay" | "program" | "ignoring" | "next" | "reportPath" | "isWritten">
) {
  const stdout = yield* terminal
  // what is shown on standard error would be drawn over
  const live = stdout.live && !debug
  const logged: Array<string> = []
  const show: TrialOutput.Show = (stream, text, trial) => {
    const lines = TrialOutput.attributed(text, trial)
    if (!live) return void process[stream].write(lines)
    // the redrawn progress would overwrite a line that is printed directly
    logged.push(
      ...lines
        .replace(/\n$/u, "")
        .split("\n")
        .map((line) => `  ${line}`)
    )
  }
  return { show, reporter: ConsoleReporter.make({ ...stdout, ...options, live, logged }) }
})

/** Starts a reporter, which handles the events of a queue. */
export const startOne = Effect.fnUntraced(function* (argument: string, reporter: Reporter) {
  const queue = yield* Queue.unbounded<RunEvent, Cause.Done>()
  const fiber = yield* Effect.forkChild(Effect.exit(consume(reporter)(Stream.fromQueue(queue))))
  return { argument, queue, fiber }
})

type Started = Effect.Success<ReturnType<typeof startOne>>

/** Time that a reporter has to finish after the last event. */
const longest = "30 seconds"

const unfinished = Exit.fail(new Error(`It didn't finish within ${longest} of the run's end`))

/**
 * Waits until reporters have handled every event, and stops one that takes too long; fails with one line for each that
 * failed.
 */
export const endAll = Effect.fnUntraced(function* (all: ReadonlyArray<Started>) {
  const failures: Array<{ readonly kind: string; readonly text: string }> = []
  for (const { argument, fiber, queue } of all) {
    yield* Queue.end(queue)
    const exit = yield* Effect.timeoutOrElse(Fiber.join(fiber), {
      duration: longest,
      orElse: () => Effect.as(Fiber.interrupt(fiber), unfinished)
    })
    if (Exit.isFailure(exit)) {
      const text = failureOf(argument, exit.cause)
      const error = Cause.squash(exit.cause)
      failures.push({ kind: error instanceof PlatformError ? error.reason._tag : text, text })
    }
  }
  // a full disk, or a folder that became read-only, fails all of them alike
  const lines = [...Map.groupBy(failures, ({ kind }) => kind).values()].map(([first, ...others]) =>
    others.length === 0 ? first?.text : `${first?.text} The same is true of ${counted(others.length, "other report")}.`
  )
  if (lines.length > 0) return yield* usage(lines.join("\n"))
})

/**
 * Starts the chosen reporters. `emit` hands them an event, `finish` waits until each has written what it can: one that
 * fails, or is wrong, keeps none of the others from it. `end` is for when nothing else is left to do.
 */
export const start = Effect.fnUntraced(function* (reporting: ReportingOptions) {
  const { options } = reporting
  const has = (name: string) => options.reporters.includes(name)
  const chosen = yield* Reporters.choose(options.reporters)
  const directory = options.reporters.some((name) => name !== "console" && name !== "github")
    ? (reporting.resumed?.directory ?? (yield* ReportDirectory.create(options.reportDir)))
    : undefined
  const page = directory !== undefined && has("html") ? join(directory, HtmlReporter.fileName) : undefined
  const { commands, history, ignoring, nights, replay } = reporting
  const reap = (report: RunReport) => reporting.reap(report, directory)
  const files = Reporters.filesOf(chosen)
  const context = { directory: directory ?? ".", files, page, replay, ignoring, commands, reap, nights, history }
  const reporters = yield* Effect.forEach(chosen, (one) => Reporters.make(one, context))

  let isWritten = true
  const next = (report: RunReport) => reporting.next(report, directory)
  const reportPath = page ?? directory
  const screen = has("console")
    ? yield* makeScreen(options, {
        replay,
        program: commands.program,
        ignoring,
        next,
        ...(reportPath === undefined ? {} : { reportPath }),
        isWritten: () => isWritten
      })
    : undefined
  // what scenarios print stays out of what another program reads
  const onStandardError: TrialOutput.Show = (_, text, trial) =>
    void process.stderr.write(TrialOutput.attributed(text, trial))
  const eventLog =
    directory !== undefined && has("ndjson")
      ? yield* EventReporting.start(directory, reporting.resumed !== undefined)
      : EventReporting.none
  const started = yield* Effect.forEach(reporters, (reporter, index) =>
    startOne(chosen[index]?.argument ?? reporter.name, reporter)
  )
  const shown = screen && (yield* startOne("console", screen.reporter))
  let last: RunEvent | undefined
  return {
    /** The report directory; undefined if no reports are written. */
    directory,
    /** Runs an effect while the reporters show its progress, and captures its output. */
    showing: TrialOutput.captured(screen?.show ?? onStandardError),
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
    finish: endAll(started),
    /** Shows the verdict; `written` is true if every report and the history were written. */
    show: Effect.fnUntraced(function* (written: boolean) {
      if (shown === undefined) return
      isWritten = written
      if (last !== undefined) yield* Queue.offer(shown.queue, last)
      yield* endAll([shown])
    }),
    /** Records that the run is over: one that is killed before that can be resumed. */
    end: Effect.mapError(eventLog.finish, (error) => usage(failureOf("ndjson", Cause.fail(error))))
  }
})
