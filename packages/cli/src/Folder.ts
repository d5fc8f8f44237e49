import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import { dirname } from "node:path"

/**
 * Creates a folder and the folders above it that are missing. Each is made by itself: Node's own recursive mkdir never ends
 * below a folder that refuses new ones as if it did not exist, such as `/proc`, and no signal stops it.
 */
export const make = (path: string): Effect.Effect<void, PlatformError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const isFolder = Effect.map(fs.stat(path), ({ type }) => type === "Directory")
    // another process may have made it meanwhile
    const attempt = fs.makeDirectory(path).pipe(
      Effect.catchIf(
        ({ reason }) => reason._tag === "AlreadyExists",
        (error) => Effect.flatMap(isFolder, (is) => (is ? Effect.void : Effect.fail(error)))
      )
    )
    const above = dirname(path)
    yield* attempt.pipe(
      Effect.catchIf(
        ({ reason }) => reason._tag === "NotFound" && above !== path,
        () => Effect.andThen(make(above), attempt)
      )
    )
  })
