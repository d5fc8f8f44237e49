import * as Cassette from "@webagent/cassette/Cassette"
import * as Recorder from "@webagent/cassette/Recorder"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Semaphore from "effect/Semaphore"
import { dirname } from "node:path"
import { describePlatformError } from "@webagent/report/PlatformErrorText"
import { usage } from "@webagent/report/UserError"
import { Recording } from "../targets/Recording.ts"

/** Reads a cassette; one that cannot be read is a UserError. */
export const read = Effect.fnUntraced(function* (path: string) {
  const text = yield* Effect.mapError(
    FileSystem.FileSystem.use((fs) => fs.readFileString(path)),
    (error) => usage(`The cassette ${path} cannot be read: ${describePlatformError(error)}.`)
  )
  return yield* Effect.mapError(Effect.fromResult(Cassette.parse(text, path)), usage)
})

/**
 * A new cassette file, open until the scope ends. Each exchange is a line as soon as it is answered, so that a killed
 * recording keeps what it had. A file that is there is not overwritten.
 */
export const create = Effect.fnUntraced(function* (path: string, target: string) {
  const fs = yield* FileSystem.FileSystem
  const encoder = new TextEncoder()
  const startedAt = DateTime.formatIso(yield* DateTime.now)
  const file = yield* fs.makeDirectory(dirname(path), { recursive: true }).pipe(
    Effect.andThen(fs.open(path, { flag: "wx" })),
    Effect.tap((file) => file.writeAll(encoder.encode(Cassette.headerLine({ cassette: 1, startedAt, target })))),
    Effect.mapError((error) =>
      error.reason._tag === "AlreadyExists"
        ? usage(`${path} exists already. Choose another file with --out, or delete it.`)
        : usage(`The cassette ${path} cannot be written: ${describePlatformError(error)}.`)
    )
  )
  let count = 0
  // two writes at the same time would be at the same place
  const oneAtATime = yield* Semaphore.make(1)
  return {
    keep: (exchange: Cassette.Exchange) =>
      file
        .writeAll(encoder.encode(Cassette.exchangeLine(exchange)))
        .pipe(Effect.orDie, Effect.andThen(Effect.sync(() => void count++)), oneAtATime.withPermit),
    count: () => count
  }
})

/** Runs an effect whose target is recorded. */
export const recorded = <A, E, R>(
  run: Effect.Effect<A, E, R>,
  keep: (exchange: Cassette.Exchange) => Effect.Effect<void>
): Effect.Effect<A, E, R> =>
  Effect.provideService(run, Recording, (client, { apiKeyHeader }) => Recorder.make(client, { apiKeyHeader, keep }))
