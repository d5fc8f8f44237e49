import type { BrowserAgentOptions } from "@webagent/agent"
import { usage } from "@webagent/cli/UserError"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { appendFile } from "node:fs/promises"
import { join } from "node:path"

/** Records the dialogues of runs with their model, one file for each run. Only the server's user can read them. */
export const recorder = Effect.fnUntraced(function* (folder: string) {
  const files = yield* FileSystem.FileSystem
  yield* Effect.mapError(files.makeDirectory(folder, { recursive: true, mode: 0o700 }), () =>
    usage(`--record-dialogues: cannot create the folder ${folder}. Check the path and its permissions.`)
  )
  const record: NonNullable<BrowserAgentOptions["record"]> = (runId, exchange) => {
    const path = join(folder, `${runId}.ndjson`)
    return Effect.tryPromise(() => appendFile(path, `${JSON.stringify(exchange)}\n`, { mode: 0o600 })).pipe(
      Effect.catch((error) => Effect.logWarning(`The dialogue of run ${runId} could not be written to ${path}`, error))
    )
  }
  return record
})
