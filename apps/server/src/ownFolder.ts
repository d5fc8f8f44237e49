import { usage } from "@webagent/cli/UserError"
import * as Effect from "effect/Effect"
import { chmodSync, mkdirSync } from "node:fs"
import { resolve } from "node:path"

const attempt = <A>(run: () => A, sentence: string) => Effect.try({ try: run, catch: () => usage(sentence) })

/** Makes a folder that only the user of the server may read, and returns its path. */
export const ownFolder = (...path: ReadonlyArray<string>) => {
  const folder = resolve(...path)
  return Effect.andThen(
    attempt(
      () => mkdirSync(folder, { recursive: true, mode: 0o700 }),
      `Cannot create ${folder}. Start the server in a folder that it can write to.`
    ),
    attempt(() => {
      // fails for a folder of another user, and on a read-only file system
      chmodSync(folder, 0o700)
      return folder
    }, `Cannot write to ${folder}. Make it writable for the user of the server.`)
  )
}
