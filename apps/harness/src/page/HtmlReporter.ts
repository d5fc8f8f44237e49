import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { basename, dirname, join, relative, resolve } from "node:path"
import type { Night } from "@webagent/nights/Night"
import * as FileReporter from "../reporters/FileReporter.ts"
import * as ExportFile from "./ExportFile.ts"
import * as RunPage from "./RunPage.ts"
import * as Screens from "./Screens.ts"
import * as Traces from "./Traces.ts"

/** The name of the page in a report's directory. */
export const fileName = "report.html"

/** Link from a folder to the page of a night. */
export const linkFrom = (directory: string, history: string, { report }: Night): string | undefined =>
  report === undefined
    ? undefined
    : encodeURI(`${relative(directory, join(dirname(history), report)).replaceAll("\\", "/") || "."}/${fileName}`)

// the page shows the last month
const most = 30

/** Writes the report as a page; a trace that cannot be read is not in it. */
export const html = FileReporter.define(
  "html",
  fileName,
  (report, { commands, directory, files, history, ignoring, nights, reap, replay }) =>
    FileSystem.FileSystem.use((fs) =>
      Effect.gen(function* () {
        const traces = yield* Traces.packed(report, (file) => fs.readFileString(join(directory, file)))
        const data = RunPage.dataOf({
          id: basename(resolve(directory)),
          report,
          traces: traces.packed,
          nights: nights.slice(1 - most),
          isRecorded: (report.findings ?? []).some((finding) => ignoring(finding, report) !== undefined),
          linkOf: (night) => (history === undefined ? undefined : linkFrom(directory, history, night)),
          replay,
          reap: reap(report),
          commands,
          files: files.filter((file) => file !== fileName)
        })
        return ExportFile.render(data, yield* Screens.bundle)
      })
    )
)
