import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Stream from "effect/Stream"
import { dirname, join, relative } from "node:path"
import type { Night } from "@webagent/nights/Night"
import type { RunReport } from "@webagent/report/RunReport"
import type { Replay, Reporter } from "../reporters/Reporter.ts"
import * as EmbeddedTraces from "./EmbeddedTraces.ts"
import * as Page from "./Page.ts"
import * as AtomicFile from "@webagent/cli/AtomicFile"

/** The name of the page in a report's directory. */
export const fileName = "report.html"

/** Destination of a page, and data that the report doesn't contain. */
interface HtmlOptions {
  /** The report's directory: traces are read from it. */
  readonly directory: string
  readonly replay: Replay
  /** The command that stops what is still open. */
  readonly reap?: (report: RunReport) => string | undefined
  /** The nights before, oldest first. */
  readonly nights: ReadonlyArray<Night>
  /** The file of these nights: their reports are relative to it. */
  readonly history: string | undefined
}

/** Link from a folder to the page of a night. */
export const linkFrom = (directory: string, history: string, { report }: Night): string | undefined =>
  report === undefined
    ? undefined
    : encodeURI(`${relative(directory, join(dirname(history), report)).replaceAll("\\", "/") || "."}/${fileName}`)

// the page shows the last month
const most = 30

/** Writes the report as a page; a trace that cannot be read is not in it. */
export const make =
  ({ directory, history, nights, reap, replay }: HtmlOptions): Reporter<FileSystem.FileSystem> =>
  (events) =>
    Stream.runForEach(events, (event) =>
      event._tag === "RunFinished"
        ? FileSystem.FileSystem.use((fs) =>
            Effect.gen(function* () {
              const { report } = event
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
              const html = Page.render({
                report,
                traces,
                nights: nights.slice(1 - most),
                linkOf,
                replay,
                reap: reap?.(report)
              })
              yield* AtomicFile.write(join(directory, fileName), html)
            })
          )
        : Effect.void
    )
