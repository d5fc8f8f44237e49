import * as Cassette from "@webagent/cassette/Cassette"
import * as Recorder from "@webagent/cassette/Recorder"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Semaphore from "effect/Semaphore"
import { dirname, join } from "node:path"
import * as Folder from "@webagent/cli/Folder"
import { describePlatformError } from "@webagent/cli/PlatformErrorText"
import { counted } from "@webagent/cli/Text"
import { usage, usageOf } from "@webagent/cli/UserError"
import { Recording } from "../targets/Recording.ts"
import { program, quoted } from "./Program.ts"

/** Reads a cassette; one that cannot be read is a UserError. */
export const read = Effect.fnUntraced(function* (path: string) {
  const text = yield* Effect.mapError(
    FileSystem.FileSystem.use((fs) => fs.readFileString(path)),
    usageOf(`The cassette ${path} cannot be read`)
  )
  return yield* Effect.mapError(Effect.fromResult(Cassette.parse(text, path)), usage)
})

/** The file that was named, or a new one by the time. */
export const fileFor = Effect.fnUntraced(function* (out: string | undefined) {
  if (out !== undefined) return out
  const now = DateTime.formatIso(yield* DateTime.now)
  return join(".webagent", "cassettes", `${now.slice(0, 19).replaceAll(":", "-")}.ndjson`)
})

/**
 * A new cassette file, open until the scope ends. Each exchange is a line as soon as it is answered, so that a killed
 * recording keeps what it had. A file that is there is not overwritten, and one without an answer does not stay. `end`
 * says what was recorded and how to replay it.
 */
export const create = Effect.fnUntraced(function* (path: string, target: string) {
  const fs = yield* FileSystem.FileSystem
  const encoder = new TextEncoder()
  const startedAt = DateTime.formatIso(yield* DateTime.now)
  const file = yield* Folder.make(dirname(path)).pipe(
    Effect.andThen(fs.open(path, { flag: "wx" })),
    Effect.tap((file) => file.writeAll(encoder.encode(Cassette.headerLine({ cassette: 1, startedAt, target })))),
    Effect.mapError((error) =>
      error.reason._tag === "AlreadyExists"
        ? usage(`${path} exists already. Choose another file with --out, or delete it.`)
        : usage(`The cassette ${path} cannot be written: ${describePlatformError(error)}.`)
    )
  )
  let count = 0
  yield* Effect.addFinalizer(() => (count === 0 ? Effect.ignore(fs.remove(path)) : Effect.void))
  // two writes at the same time would be at the same place
  const oneAtATime = yield* Semaphore.make(1)
  return {
    keep: (exchange: Cassette.Exchange) =>
      file
        .writeAll(encoder.encode(Cassette.exchangeLine(exchange)))
        .pipe(Effect.orDie, Effect.andThen(Effect.sync(() => void count++)), oneAtATime.withPermit),
    end: Effect.suspend(() =>
      count === 0
        ? Effect.void
        : Console.log(`recorded ${counted(count, "answer")} in ${path}\nreplay   ${program} replay ${quoted(path)}`)
    )
  }
})

/** Runs an effect whose target is recorded. */
export const recorded = <A, E, R>(
  run: Effect.Effect<A, E, R>,
  keep: (exchange: Cassette.Exchange) => Effect.Effect<void>
): Effect.Effect<A, E, R> =>
  Effect.provideService(run, Recording, (client, { apiKeyHeader }) => Recorder.make(client, { apiKeyHeader, keep }))
