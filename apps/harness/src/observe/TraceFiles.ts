import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { join } from "node:path"
import * as Folder from "@webagent/cli/Folder"
import { describePlatformError } from "@webagent/cli/PlatformErrorText"
import type { Trace } from "@webagent/report/Trace"

/** Folder of a run's traces, inside its report directory. */
const folder = "traces"

/** Writes the traces of a run, one file a trial; answers with its path below the report directory. */
export interface TraceFiles {
  /** Undefined where the file could not be written: the run goes on. */
  readonly write: (trace: Trace) => Effect.Effect<string | undefined>
}

/** Goes on behind the traces that an earlier part of the run has written. */
export const make = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const names = yield* Effect.orElseSucceed(fs.readDirectory(join(directory, folder)), () => [])
  let last = Math.max(0, ...names.map((name) => Number(/^(\d+)\.json$/u.exec(name)?.[1] ?? 0)))
  let silent = false
  yield* Effect.ignore(Folder.make(join(directory, folder)))
  return {
    write: (trace) =>
      Effect.suspend(() => {
        const path = `${folder}/${++last}.json`
        return fs.writeFileString(join(directory, path), `${JSON.stringify(trace)}\n`).pipe(
          Effect.as<string | undefined>(path),
          Effect.catch((error) => {
            const said = silent
            silent = true
            return Effect.as(
              said ? Effect.void : Effect.logWarning(`Traces cannot be written: ${describePlatformError(error)}.`),
              undefined
            )
          })
        )
      })
  } satisfies TraceFiles
})
