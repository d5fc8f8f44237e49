import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { systemError } from "effect/PlatformError"
import { refusalOf } from "./AtomicFile.ts"
import * as Folder from "./Folder.ts"

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

/**
 * Adds a value as a line at the end of a file, in one write, so that two that are added at the same time are two lines. A
 * line before it that lost its end keeps a line of its own. The folder is created.
 */
export const append = Effect.fnUntraced(
  function* (path: string, value: unknown) {
    const fs = yield* FileSystem.FileSystem
    yield* makeFolderOf(path)
    const before = yield* Effect.orElseSucceed(fs.readFile(path), () => new Uint8Array())
    const end = (before.at(-1) ?? 10) === 10 ? "" : "\n"
    yield* fs.writeFileString(path, `${end}${JSON.stringify(value)}\n`, { flag: "a" })
  },
  (effect, path) => Effect.mapError(effect, refusalOf(path))
)
