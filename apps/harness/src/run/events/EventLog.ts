import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { RunEvent } from "@webagent/report/RunEvent"

/** The name of the file in a report directory. */
export const fileName = "events.ndjson"

/** Fields that each line has in addition to its event. */
const Stamp = Schema.Struct({ at: Schema.DateTimeUtcFromString })

/** An event, and when it was written. */
export interface LoggedEvent {
  readonly at: DateTime.Utc
  readonly event: RunEvent
}

/** Writes the events of a run, one line of JSON each, in the order in which it is given them. */
export interface EventLog {
  /** The line is in the file once this succeeds, and outlives the process; a finished trial outlives the machine, too. */
  readonly write: (event: RunEvent) => Effect.Effect<void, PlatformError>
}

const decodeStamp = Schema.decodeUnknownResult(Schema.fromJsonString(Stamp))
const decodeEvent = Schema.decodeUnknownResult(Schema.fromJsonString(RunEvent))

const newline = 10

/** The length of a file up to the end of its last whole line. */
const wholeLength = (bytes: Uint8Array): number => bytes.lastIndexOf(newline) + 1

/**
 * Removes a line that is incomplete because the process was killed while writing it, so that the next line is complete.
 */
const repair = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, path: string) {
  if (!(yield* fs.exists(path))) return
  const bytes = yield* fs.readFile(path)
  const length = wholeLength(bytes)
  if (length < bytes.length) yield* fs.truncate(path, length)
})

/** An event as a line of the file. */
export const lineOf = ({ at, event }: LoggedEvent): string => {
  // nothing of an event is transformed when it is encoded: it is JSON as it is
  const encoded: typeof RunEvent.Encoded = event
  return `${JSON.stringify({ at: DateTime.formatIso(at), ...encoded })}\n`
}

const isKept = ({ _tag }: RunEvent) => _tag === "TrialFinished" || _tag === "RunFinished"

/**
 * Opens the events of a run for as long as the scope lives: an empty file, or, when `continued`, behind those that are
 * there.
 */
export const open = Effect.fnUntraced(function* (path: string, { continued }: { readonly continued: boolean }) {
  const fs = yield* FileSystem.FileSystem
  yield* continued ? repair(fs, path) : fs.writeFileString(path, "")
  // redacting a key can make the file shorter while it is open: append where it ends
  const file = yield* fs.open(path, { flag: "a" })
  const oneAtATime = Semaphore.makeUnsafe(1)
  const encoder = new TextEncoder()
  return {
    write: (event) =>
      Effect.gen(function* () {
        yield* file.writeAll(encoder.encode(lineOf({ at: yield* DateTime.now, event })))
      }).pipe(
        oneAtATime.withPermit,
        // a disk may be slow: lines of others do not wait for it
        Effect.andThen(isKept(event) ? file.sync : Effect.void),
        Effect.uninterruptible
      )
  } satisfies EventLog
})

/** A line that is no event: not JSON, or not as this version writes it. Lines count from 1. */
export class BadLine extends Schema.TaggedError<BadLine>()("BadLine", { line: Schema.Int, message: Schema.String }) {}

const decode = (text: string, line: number): Result.Result<LoggedEvent, BadLine> =>
  Result.flatMap(decodeStamp(text), ({ at }) => Result.map(decodeEvent(text), (event) => ({ at, event }))).pipe(
    Result.mapError(({ message }) => new BadLine({ line, message: message.split("\n")[0] ?? "" }))
  )

/**
 * The events of a text, oldest first. A half line at its end was being written and does not count; any other line that
 * is no event is the failure.
 */
export const parse = (text: string): Result.Result<ReadonlyArray<LoggedEvent>, BadLine> => {
  const lines = text.split("\n")
  lines.pop()
  return Result.all(lines.map((line, index) => decode(line, index + 1)))
}

/** True if the last complete line of a run's events shows that the run started but didn't finish. */
export const isCutShort = (text: string): boolean => {
  const end = text.lastIndexOf("\n")
  return end > 0 && !/^\{"at":"[^"]*","_tag":"RunFinished"/u.test(text.slice(text.lastIndexOf("\n", end - 1) + 1, end))
}

/** Reads the events of a report directory's file, also while it is written. */
export const read = (
  path: string
): Effect.Effect<ReadonlyArray<LoggedEvent>, PlatformError | BadLine, FileSystem.FileSystem> =>
  FileSystem.FileSystem.use((fs) => fs.readFileString(path)).pipe(
    Effect.flatMap((text) => Effect.fromResult(parse(text)))
  )
