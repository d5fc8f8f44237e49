import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { type PlatformError, systemError } from "effect/PlatformError"
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

/** A line of a file, without its end. */
export interface Line {
  readonly text: string
  /** Position of its first byte in the file. */
  readonly offset: number
  readonly bytes: number
  /** Number of the line, from 1. */
  readonly number: number
  /** False of a last line that may still be written. */
  readonly hasEnd: boolean
}

/** The start of a line in a file. */
export type Start = Pick<Line, "offset" | "number">

const decoder = new TextDecoder()

/** Splits the bytes of a file into lines, and keeps only the unfinished one. */
const makeSplitter = ({ number, offset }: Start, use: (line: Line) => void) => {
  let rest: ReadonlyArray<Uint8Array> = []
  let next = { offset, number }
  const take = (last: Uint8Array, hasEnd: boolean) => {
    const all = rest.length === 0 ? last : Buffer.concat([...rest, last])
    rest = []
    use({ ...next, text: decoder.decode(all), bytes: all.byteLength, hasEnd })
    next = { offset: next.offset + all.byteLength + 1, number: next.number + 1 }
  }
  return {
    add: (chunk: Uint8Array) => {
      let from = 0
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
        take(chunk.subarray(from, at), true)
        from = at + 1
      }
      // a stream may use its buffer again
      if (from < chunk.byteLength) rest = [...rest, chunk.slice(from)]
    },
    end: () => {
      if (rest.length > 0) take(new Uint8Array(), false)
    }
  }
}

/**
 * Passes on the lines of a file of JSON lines, from one of them on, without the file in memory. There are none where there is
 * no file yet. A device, which may have no end, is not read.
 */
export const eachLine = (
  path: string,
  use: (line: Line) => void,
  start: Start = { offset: 0, number: 1 }
): Effect.Effect<void, PlatformError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const { type } = yield* fs.stat(path)
    if (type !== "File") return yield* Effect.fail(notAFile(path, type))
    const splitter = makeSplitter(start, use)
    yield* Stream.runForEach(fs.stream(path, { offset: start.offset }), (chunk) =>
      Effect.sync(() => splitter.add(chunk))
    )
    splitter.end()
  }).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotFound",
      () => Effect.void
    )
  )

/** The text of a line whose position is known. */
export const lineAt = (path: string, { bytes, offset }: Pick<Line, "bytes" | "offset">) =>
  FileSystem.FileSystem.use((fs) =>
    Effect.map(Stream.runCollect(fs.stream(path, { offset, bytesToRead: bytes })), (chunks) =>
      decoder.decode(Buffer.concat(chunks))
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
