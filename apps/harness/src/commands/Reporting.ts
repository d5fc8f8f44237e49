import type * as Cause from "effect/Cause"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { join } from "node:path"
import { usage } from "../Mistake.ts"
import * as ConsoleReporter from "../reporters/ConsoleReporter.ts"
import * as JsonReporter from "../reporters/JsonReporter.ts"
import * as JUnitReporter from "../reporters/JUnitReporter.ts"
import type { Replay, Reporter } from "../reporters/Reporter.ts"
import { coloured, plain } from "../reporters/Style.ts"
import type { RunEvent } from "../runner/RunEvent.ts"
import type { RunReport } from "../runner/RunReport.ts"
import { troubleOf } from "../Trouble.ts"
import * as EventReporting from "./EventReporting.ts"
import * as ReportDirectory from "./ReportDirectory.ts"
import type { RunOptions } from "./RunOptions.ts"

const isSet = (name: string) =>
  Config.String(name).pipe(
    Config.option,
    Config.map((value) => Option.isSome(value) && value.value !== "" && value.value !== "false"),
    Effect.orElseSucceed(() => false)
  )

/** How standard output can be written to. */
export const terminal = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const isTerminal = yield* stdio.stdoutIsTerminal
  const live = isTerminal && !(yield* isSet("CI")) && process.env["TERM"] !== "dumb"
  return {
    live,
    style: isTerminal && !(yield* isSet("NO_COLOR")) && process.env["TERM"] !== "dumb" ? coloured : plain,
    columns: process.stdout.columns > 0 ? process.stdout.columns : 100,
    rows: process.stdout.rows > 0 ? process.stdout.rows : 24,
    // whoever read the other end of a pipe may have seen enough: that is no reason to stop
    write: (text: string) => Effect.ignore(Stream.run(Stream.make(text), stdio.stdout({ endOnDone: false })))
  }
})

/** What the reporters of a run are given by its command. */
export interface ReportingOptions {
  readonly options: RunOptions
  readonly replay: Replay
  readonly next: (report: RunReport) => string | undefined
}

/**
 * Starts the chosen reporters. `emit` hands them an event, `finish` waits until they have written everything.
 */
export const start = Effect.fnUntraced(function* ({ next, options, replay }: ReportingOptions) {
  const wants = (name: RunOptions["reporters"][number]) => options.reporters.includes(name)
  const writesFiles = wants("json") || wants("junit") || wants("ndjson")
  const directory = writesFiles ? yield* ReportDirectory.create(options.reportDir) : undefined
  const reporters: Array<Reporter<FileSystem.FileSystem>> = []
  if (wants("console")) {
    const reportPath = directory === undefined ? {} : { reportPath: directory }
    reporters.push(ConsoleReporter.make({ ...(yield* terminal), replay, next, ...reportPath }))
  }
  if (directory !== undefined && wants("json")) reporters.push(JsonReporter.make(join(directory, "report.json")))
  if (directory !== undefined && wants("junit"))
    reporters.push(JUnitReporter.make(join(directory, "junit.xml"), replay))
  const eventLog =
    directory !== undefined && wants("ndjson") ? yield* EventReporting.start(directory) : EventReporting.none
  const started = yield* Effect.forEach(reporters, (reporter) =>
    Effect.gen(function* () {
      const queue = yield* Queue.unbounded<RunEvent, Cause.Done>()
      return { queue, fiber: yield* Effect.forkChild(reporter(Stream.fromQueue(queue))) }
    })
  )
  return {
    emit: (event: RunEvent) =>
      Effect.andThen(
        eventLog.emit(event),
        Effect.forEach(started, ({ queue }) => Queue.offer(queue, event), { discard: true })
      ),
    finish: Effect.forEach(started, ({ fiber, queue }) => Effect.andThen(Queue.end(queue), Fiber.join(fiber)), {
      discard: true
    }).pipe(
      Effect.andThen(eventLog.finish),
      Effect.mapError((error) => usage(`The report cannot be written: ${troubleOf(error)}.`))
    )
  }
})
