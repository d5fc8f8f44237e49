import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Redacted from "effect/Redacted"
import { join } from "node:path"
import { redactor } from "./KeyRedaction.ts"

/** A shorter key is found in any text. */
const shortest = 8

/**
 * The files below a folder that have a key in them, by their paths there, however the key is written; it is taken out
 * of each. What cannot be read is passed over, as is a folder that there is none of.
 */
export const clean = Effect.fnUntraced(function* (directory: string | undefined, apiKey: Redacted.Redacted) {
  const key = Redacted.value(apiKey)
  if (directory === undefined || key.length < shortest) return []
  const fs = yield* FileSystem.FileSystem
  const redact = redactor(key)
  const paths = yield* Effect.orElseSucceed(fs.readDirectory(directory, { recursive: true }), () => [])
  const found = yield* Effect.forEach(paths, (path) =>
    fs.readFile(join(directory, path)).pipe(
      Effect.flatMap((bytes) => {
        // a byte a character, so that every other byte stays as it is
        const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")
        const clean = redact(text)
        return clean === text
          ? Effect.succeed([])
          : Effect.as(fs.writeFile(join(directory, path), Buffer.from(clean, "latin1")), [path])
      }),
      Effect.orElseSucceed((): ReadonlyArray<string> => [])
    )
  )
  return found.flat().toSorted()
})
