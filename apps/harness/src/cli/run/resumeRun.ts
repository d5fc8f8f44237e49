import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { join } from "node:path"
import * as EventLog from "../../run/events/EventLog.ts"
import * as Resumption from "../../run/events/Resumption.ts"
import * as RunLock from "../../run/events/RunLock.ts"
import { usage } from "@webagent/cli/UserError"
import { suiteName } from "@webagent/eval/EvalSuite"
import { describePlatformError } from "@webagent/cli/PlatformErrorText"
import { counted } from "@webagent/cli/Text"
import { program, quoted } from "../Program.ts"
import * as ReportDirectory from "../reports/ReportDirectory.ts"
import { terminal } from "@webagent/cli/Terminal"
import type { Resumed } from "../Resumed.ts"

const eventsIn = (directory: string) =>
  EventLog.read(join(directory, EventLog.fileName)).pipe(
    Effect.catchTags({
      BadLine: ({ line, message }) =>
        Effect.fail(usage(`${join(directory, EventLog.fileName)} cannot be resumed: line ${line}: ${message}.`)),
      PlatformError: (error) =>
        Effect.fail(usage(`There is no run to resume in ${directory}: ${describePlatformError(error)}.`))
    })
  )

/** The newest report directory whose run has not come to its end, if possible one that can be resumed. */
const newest = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const names = yield* Effect.orElseSucceed(fs.readDirectory(ReportDirectory.runs), () => [])
  let other: string | undefined
  for (const name of names.toSorted().toReversed()) {
    const directory = join(ReportDirectory.runs, name)
    const text = yield* Effect.orElseSucceed(fs.readFileString(join(directory, EventLog.fileName)), () => "")
    if (!EventLog.isCutShort(text)) continue
    // a run that a page started has no flags of its own, and an earlier one may be resumable
    if (/^[^\n]*"args":/u.test(text)) return directory
    other ??= directory
  }
  if (other !== undefined) return other
  return yield* usage(
    `No run in ${ReportDirectory.runs} was interrupted. To resume a run elsewhere, name its folder: ${program} run --resume FOLDER.`
  )
})

/**
 * Continues a run that was killed: this process takes over its report directory and reads what the run had done. A run
 * that was not killed is refused.
 */
export const take = Effect.fnUntraced(function* (named: string | undefined) {
  const directory = named ?? (yield* newest)
  // before the lock is taken: a folder that has no run is left as it is
  yield* eventsIn(directory)
  yield* RunLock.take(directory).pipe(
    Effect.catchTags({
      RunInProgress: ({ pid }) =>
        Effect.fail(usage(`The run in ${directory} still works in process ${pid}. Wait for its end, or stop it.`)),
      PlatformError: (error) =>
        Effect.fail(usage(`The run in ${directory} cannot be resumed: ${describePlatformError(error)}.`))
    })
  )
  const events = yield* eventsIn(directory)
  if (events.length === 0) return yield* usage(`The run in ${directory} was killed before it began. Start a new run.`)
  const resumption = Resumption.of(events)
  if (resumption === undefined) {
    return yield* usage(`The run in ${directory} has ended. There is nothing to resume.`)
  }
  const { args, suites } = resumption.header
  if (suites.some(({ argument, name }) => argument !== undefined && name === suiteName(argument))) {
    return yield* usage(
      `The run in ${directory} is an evaluation, which can't be resumed because its server and its sites ended with it. Start it again: ${program} eval ${(args ?? []).map(quoted).join(" ")}`
    )
  }
  if (args === undefined) return yield* usage(`The run in ${directory} has no record of its flags. Start a new run.`)
  const { style, write } = yield* terminal
  yield* write(
    `${style.strong(`resuming ${directory}`)} · ${counted(resumption.done.size, "trial")} done · ${program} run ${args.map(quoted).join(" ")}\n`
  )
  const resumed: Resumed = { ...resumption, directory, at: DateTime.formatIso(yield* DateTime.now) }
  return { args, resumed }
})
