import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { dirname, join, relative } from "node:path"
import type { Night } from "@webagent/nights/Night"
import * as FileReporter from "../reporters/FileReporter.ts"
import * as EmbeddedTraces from "./EmbeddedTraces.ts"
import * as Page from "./Page.ts"

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
  (report, { directory, files, history, nights, reap, replay }) =>
    FileSystem.FileSystem.use((fs) =>
      Effect.gen(function* () {
        const traces: Array<readonly [string, EmbeddedTraces.Packed]> = []
        let size = 0
        for (const file of EmbeddedTraces.wanted(report)) {
          const text = yield* Effect.orElseSucceed(fs.readFileString(join(directory, file)), () => undefined)
          if (text === undefined) continue
          const packed = EmbeddedTraces.pack(text)
          size += packed.length
          if (size > EmbeddedTraces.most) break
          traces.push([file, packed])
        }
        const linkOf = (night: Night) => (history === undefined ? undefined : linkFrom(directory, history, night))
        const others = files.filter((file) => file !== fileName)
        return Page.render({
          report,
          traces,
          nights: nights.slice(1 - most),
          linkOf,
          replay,
          reap: reap(report),
          files: others
        })
      })
    )
)
