import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { PlatformError, systemError } from "effect/PlatformError"

/** Attributes a system error to the requested file, and not to its temporary part or its descriptor number. */
export const refusalOf =
  (path: string) =>
  ({ reason }: PlatformError): PlatformError =>
    reason._tag === "BadArgument"
      ? new PlatformError(reason)
      : // an error's cause is none of its enumerable properties
        systemError({ ...reason, cause: reason.cause, pathOrDescriptor: path })

/**
 * Writes a text file whole or not at all. A reader finds the old file or the new one, never a part, even when the
 * writer is killed. A killed writer leaves its part beside the file, as `<path>.part`.
 */
export const write = Effect.fnUntraced(function* (path: string, text: string) {
  const fs = yield* FileSystem.FileSystem
  const part = `${path}.part`
  yield* fs.writeFileString(part, text).pipe(
    Effect.andThen(fs.rename(part, path)),
    Effect.onError(() => Effect.ignore(fs.remove(part))),
    Effect.mapError(refusalOf(path))
  )
})
