import { StoreUnavailable } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { createReadStream } from "node:fs"
import { mkdir, open, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { FileBytes } from "./FileBytes.ts"

const failed = (cause: unknown) => new StoreUnavailable({ applied: "no", cause })

const attempt = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: failed })

/** Files on a disk. Names in the folder are ids of this server, so no name of a client reaches the file system. */
export const make = (folder: string): FileBytes["Service"] => {
  // the last characters of an id are random, so the files are spread over 256 folders
  const pathOf = (id: string) => join(folder, id.slice(-2), id)
  const partOf = (id: string) => `${pathOf(id)}.part`

  const openPart = (id: string) =>
    attempt(async () => {
      await mkdir(dirname(pathOf(id)), { recursive: true, mode: 0o700 })
      return open(partOf(id), "w", 0o600)
    })

  return {
    write: (id, bytes) =>
      Effect.gen(function* () {
        let size = 0
        yield* Effect.acquireUseRelease(
          openPart(id),
          (file) =>
            Stream.runForEach(bytes, (chunk) => {
              size += chunk.length
              return attempt(() => file.appendFile(chunk))
            }).pipe(Effect.andThen(attempt(() => file.sync()))),
          (file) => Effect.promise(() => file.close())
        )
        yield* attempt(() => rename(partOf(id), pathOf(id)))
        return size
      }).pipe(Effect.onError(() => Effect.ignore(attempt(() => rm(partOf(id), { force: true }))))),
    read: (id) =>
      Stream.fromAsyncIterable(
        { [Symbol.asyncIterator]: () => createReadStream(pathOf(id))[Symbol.asyncIterator]() },
        failed
      ),
    remove: (id) =>
      Effect.andThen(
        attempt(() => rm(pathOf(id), { force: true })),
        attempt(() => rm(partOf(id), { force: true }))
      )
  }
}

/** Stores the bytes of files in a folder. */
export const layer = (folder: string): Layer.Layer<FileBytes> => Layer.succeed(FileBytes, make(folder))
