import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Redacted from "effect/Redacted"
import { join } from "node:path"
import { formsOf, redactor } from "./Secrets.ts"

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
  const forms = formsOf(key)
  const redact = redactor(key)
  const paths = yield* Effect.orElseSucceed(fs.readDirectory(directory, { recursive: true }), () => [])
  const found = yield* Effect.forEach(paths, (path) =>
    fs.readFile(join(directory, path)).pipe(
      Effect.flatMap((bytes) => {
        const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
        return forms.some((form) => file.includes(form))
          ? Effect.as(fs.writeFileString(join(directory, path), redact(file.toString())), [path])
          : Effect.succeed([])
      }),
      Effect.orElseSucceed((): ReadonlyArray<string> => [])
    )
  )
  return found.flat().toSorted()
})
