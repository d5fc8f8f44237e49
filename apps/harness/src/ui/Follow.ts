import { type LiveMessage, type LiveRequest } from "@webagent/harness-api"
import { RunEvent } from "@webagent/report/RunEvent"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as EventLog from "../run/events/EventLog.ts"
import type { RunFolders } from "./RunFolders.ts"

/** The most that one look reads: a page must not make a huge file fill the memory. */
const most_bytes = 4_000_000

/** Time between two looks at the file of a run. */
const pause = "200 millis"

const Line = Schema.fromJsonString(Schema.Struct({ at: Schema.String, _tag: Schema.String }))
const decodeLine = Schema.decodeUnknownOption(Line)
const decodeEvent = Schema.decodeUnknownOption(Schema.fromJsonString(RunEvent))

/** The message of a line; undefined if the line is no event of this version. */
const messageOf = (run: string, text: string, position: number): LiveMessage | undefined => {
  const line = Option.getOrUndefined(decodeLine(text))
  if (line === undefined) return undefined
  // the report that it carries is read once, when the run is
  if (line._tag === "RunFinished") return { _tag: "Finished", run, position }
  const event = Option.getOrUndefined(decodeEvent(text))
  return event === undefined ? undefined : { _tag: "Event", run, position, at: line.at, event }
}

/**
 * The events of a run behind a position, from its file, until it has finished. So a page that was away, a second page,
 * and the run of another process all see the same.
 */
export const events = (
  fs: FileSystem.FileSystem,
  { run, after }: LiveRequest & { readonly run: string },
  folders: RunFolders
): Stream.Stream<LiveMessage> =>
  Stream.unwrap(
    Effect.sync(() => {
      let [offset, position, rest] = [0, 0, ""]
      const decoder = new TextDecoder()
      const look = Effect.gen(function* () {
        const path = yield* folders.fileOf(run, EventLog.fileName)
        const size = ByteSize.toNumberUnsafe((yield* fs.stat(path)).size)
        // a key that was removed from it made it shorter: the run is over
        if (size <= offset) return []
        const chunks = yield* Stream.runCollect(fs.stream(path, { offset, bytesToRead: most_bytes }))
        const bytes = Buffer.concat(chunks)
        offset += bytes.byteLength
        const lines = `${rest}${decoder.decode(bytes, { stream: true })}`.split("\n")
        rest = lines.pop() ?? ""
        return lines.flatMap((line) => {
          position++
          const message = position > after ? messageOf(run, line, position) : undefined
          return message ?? []
        })
      }).pipe(Effect.orElseSucceed((): ReadonlyArray<LiveMessage> => []))
      return Stream.fromEffectSchedule(look, Schedule.spaced(pause)).pipe(
        Stream.flatMap(Stream.fromIterable),
        Stream.takeUntil(({ _tag }) => _tag === "Finished")
      )
    })
  )
