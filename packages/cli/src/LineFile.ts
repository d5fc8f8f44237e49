import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { systemError } from "effect/PlatformError"
import * as Stream from "effect/Stream"
import { refusalOf } from "./AtomicFile.ts"
import * as Folder from "./Folder.ts"

const newline = 10

const notAFile = (path: string, type: FileSystem.File.Type) =>
  systemError({
    _tag: "BadResource",
    module: "FileSystem",
    method: "readFileString",
    description: type === "Directory" ? "EISDIR" : "not a file",
    pathOrDescriptor: path
  })

/** The text of a file of JSON lines; empty where there is no file yet. A device, which may have no end, is not read. */
export const read = (path: string) =>
  FileSystem.FileSystem.use((fs) =>
    Effect.flatMap(fs.stat(path), ({ type }) =>
      type === "File" ? fs.readFileString(path) : Effect.fail(notAFile(path, type))
    )
  ).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotFound",
      () => Effect.succeed("")
    )
  )

const makeFolderOf = (path: string) => {
  const directory = path.replace(/[/\\]?[^/\\]*$/u, "")
  return directory === "" ? Effect.void : Folder.make(directory)
}

/** Fails where `append` would: opens the file as it does, and adds nothing. */
export const prepare = (path: string) =>
  makeFolderOf(path).pipe(
    Effect.andThen(FileSystem.FileSystem.use((fs) => fs.writeFileString(path, "", { flag: "a" }))),
    Effect.mapError(refusalOf(path))
  )

/** The last byte of a file; undefined if it is empty, or isn't there. A file may be as large as a year of nights. */
const lastByte = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const { size } = yield* fs.stat(path)
  const offset = ByteSize.toNumberUnsafe(size) - 1
  if (offset < 0) return undefined
  const chunks = yield* Stream.runCollect(fs.stream(path, { offset, bytesToRead: 1 }))
  return chunks[0]?.[0]
})

/**
 * Adds a value as a line at the end of a file, in one write, so that two that are added at the same time are two lines. A
 * line before it that lost its end keeps a line of its own. The folder is created.
 */
export const append = Effect.fnUntraced(
  function* (path: string, value: unknown) {
    const fs = yield* FileSystem.FileSystem
    yield* makeFolderOf(path)
    const last = yield* Effect.orElseSucceed(lastByte(path), () => undefined)
    const end = last === undefined || last === newline ? "" : "\n"
    yield* fs.writeFileString(path, `${end}${JSON.stringify(value)}\n`, { flag: "a" })
  },
  (effect, path) => Effect.mapError(effect, refusalOf(path))
)
