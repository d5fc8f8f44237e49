import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { RunReport } from "../runner/RunReport.ts"
import type { Reporter } from "./Reporter.ts"

const encode = Schema.encodeSync(RunReport)

/** Writes the report as JSON; `RunReport` decodes it. */
export const make =
  (path: string): Reporter<FileSystem.FileSystem> =>
  (events) =>
    Stream.runForEach(events, (event) =>
      event._tag === "RunFinished"
        ? FileSystem.FileSystem.use((fs) =>
            fs.writeFileString(path, `${JSON.stringify(encode(event.report), null, 2)}\n`)
          )
        : Effect.void
    )
