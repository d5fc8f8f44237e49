import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { dirname } from "node:path"
import { Figures } from "./Figures.ts"
import { usage } from "@webagent/report/UserError"
import { describePlatformError } from "@webagent/report/PlatformErrorText"
import { Fingerprint } from "./Fingerprint.ts"

/** A load test that was, as one line of a history file. */
export const Entry = Schema.Struct({
  version: Schema.Literal(1),
  test: Schema.String,
  startedAt: Schema.String,
  verdict: Schema.Literals(["passed", "failed"]),
  fingerprint: Fingerprint,
  /** A hash of everything that shaped the load. */
  settings: Schema.String,
  figures: Figures
})
export type Entry = typeof Entry.Type

const decodeEntry = Schema.decodeUnknownEffect(Schema.fromJsonString(Entry))

/** The same for the same settings, in whatever order they are named. */
export const settingsHash = (settings: Readonly<Record<string, unknown>>): string => {
  const named = Object.entries(settings)
    .filter(([, value]) => value !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  return createHash("sha256").update(JSON.stringify(named)).digest("hex").slice(0, 16)
}

/** Every entry of a history file in its order; none where there is no file yet. A line that is no entry is a UserError. */
export const read = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* fs
    .readFileString(path)
    .pipe(
      Effect.catch((error) =>
        error.reason._tag === "NotFound"
          ? Effect.succeed("")
          : Effect.fail(usage(`--baseline: ${describePlatformError(error)}.`))
      )
    )
  const lines = text.split("\n").map((line, index) => ({ line, number: index + 1 }))
  return yield* Effect.forEach(
    lines.filter(({ line }) => line.trim() !== ""),
    ({ line, number }) =>
      Effect.mapError(decodeEntry(line), ({ message }) =>
        usage(`--baseline: line ${number} of ${path} is not a load test that --record has written: ${message}`)
      )
  )
})

const cannotBeWritten = (error: PlatformError) =>
  usage(`The baseline cannot be written: ${describePlatformError(error)}.`)

/** Refuses a history file that cannot be written to, before there is anything to add. */
export const ensureWritable = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const there = (yield* fs.exists(path)) ? path : dirname(path)
  yield* fs.access(there, { writable: true })
}, Effect.mapError(cannotBeWritten))

/** Adds an entry at the end of a history file, on a line of its own. */
export const append = Effect.fnUntraced(function* (path: string, entry: Entry) {
  const fs = yield* FileSystem.FileSystem
  // a line may have been taken out by hand, and the end of the last one with it
  const before = (yield* fs.exists(path)) ? yield* fs.readFileString(path) : ""
  const end = before === "" || before.endsWith("\n") ? "" : "\n"
  yield* fs.writeFileString(path, `${end}${JSON.stringify(entry)}\n`, { flag: "a" })
}, Effect.mapError(cannotBeWritten))
