import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { RunReport } from "@webagent/report/RunReport"
import type { Reporter } from "./Reporter.ts"
import * as AtomicFile from "@webagent/cli/AtomicFile"

const encode = Schema.encodeSync(RunReport)

/** Writes the report as JSON; `RunReport` decodes it. */
export const make =
  (path: string): Reporter<FileSystem.FileSystem> =>
  (events) =>
    Stream.runForEach(events, (event) =>
      event._tag === "RunFinished"
        ? AtomicFile.write(path, `${JSON.stringify(encode(event.report), null, 2)}\n`)
        : Effect.void
    )
