import * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"
import { join } from "node:path"
import * as EventLog from "../../run/events/EventLog.ts"
import * as RunLock from "../../run/events/RunLock.ts"
import { usage } from "@webagent/cli/UserError"
import { describePlatformError } from "@webagent/cli/PlatformErrorText"
import type { RunEvent } from "@webagent/report/RunEvent"

/** Options for writing the events of a run. */
export interface EventReporting {
  /** Answers when the event is in the file; a file that cannot be written to does not stop the run. */
  readonly emit: (event: RunEvent) => Effect.Effect<void>
  /** Writes what says that the run is over, once every other report is written; fails if anything could not be. */
  readonly finish: Effect.Effect<void, PlatformError>
}

/** Writes nothing. */
export const none: EventReporting = { emit: () => Effect.void, finish: Effect.void }

const cannotBegin = (error: PlatformError) =>
  Effect.fail(
    usage(`The reports cannot be written: ${describePlatformError(error)}. Choose another folder with --report-dir.`)
  )

/**
 * Writes the events of a run to its report directory as they happen. A continued run appends to the events that are
 * there. A new run needs a directory that no other run uses.
 */
export const start = Effect.fnUntraced(function* (directory: string, continued: boolean) {
  if (!continued) {
    const inUse = ({ pid }: RunLock.RunInProgress) =>
      Effect.fail(usage(`${directory} is where process ${pid} reports: choose another folder with --report-dir.`))
    yield* RunLock.take(directory).pipe(Effect.catchTags({ RunInProgress: inUse, PlatformError: cannotBegin }))
  }
  const log = yield* Effect.catchTag(
    EventLog.open(join(directory, EventLog.fileName), { continued }),
    "PlatformError",
    cannotBegin
  )
  let failure: PlatformError | undefined
  let last: RunEvent | undefined
  const write = (event: RunEvent) =>
    failure === undefined
      ? log.write(event).pipe(Effect.catch((error) => Effect.sync(() => (failure = error))))
      : Effect.void
  return {
    // one that is killed while its reports are written has not ended, and can be taken up again
    emit: (event) => (event._tag === "RunFinished" ? Effect.sync(() => (last = event)) : Effect.asVoid(write(event))),
    finish: Effect.suspend(() => (last === undefined ? Effect.void : write(last))).pipe(
      Effect.flatMap(() => (failure === undefined ? Effect.void : Effect.fail(failure)))
    )
  } satisfies EventReporting
})
