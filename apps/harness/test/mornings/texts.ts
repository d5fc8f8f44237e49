import type { Style } from "@webagent/cli/Style"
import type { Night } from "@webagent/nights/Night"
import type { RunReport } from "@webagent/report/RunReport"
import * as Effect from "effect/Effect"
import * as Advice from "../../src/cli/Advice.ts"
import { program } from "../../src/cli/Program.ts"
import type { RunOptions } from "../../src/cli/RunFlags.ts"
import * as ConsoleReporter from "../../src/reporters/ConsoleReporter.ts"
import * as ExportFile from "../../src/page/ExportFile.ts"
import * as RunPage from "../../src/page/RunPage.ts"
import type * as Screens from "../../src/page/Screens.ts"
import * as MarkdownReporter from "../../src/reporters/MarkdownReporter.ts"
import { consumed } from "../reporters/consumed.ts"

const options = {
  target: "simulated",
  seed: 1,
  suites: [] as Array<string>,
  trials: 5,
  keepsDeclaredTrials: false,
  record: true
} as RunOptions
export const ignoring = Advice.ignoring(options)
export const replay = Advice.replay(options, () => "shop.suite.ts")

/** Returns the text that the console prints at the end of a run. */
export const consoleText = (report: RunReport, style: Style) => {
  const lines: Array<string> = []
  const reporter = ConsoleReporter.make({
    write: (text) => Effect.sync(() => void lines.push(text)),
    style,
    live: false,
    columns: 120,
    rows: 40,
    replay,
    program,
    ignoring,
    next: Advice.next(options, replay)
  })
  return Effect.map(consumed(reporter, [{ _tag: "RunFinished", report }]), () => lines.join(""))
}

/** The summary of a run. */
export const markdownText = (report: RunReport): string =>
  MarkdownReporter.render(report, replay, { ignoring, program })

/** The page of a run. */
export const pageText = (report: RunReport, nights: ReadonlyArray<Night>, bundle: Screens.Bundle | undefined): string =>
  ExportFile.render(
    RunPage.dataOf({
      id: "morning",
      report,
      traces: [],
      nights: nights.slice(0, -1),
      isRecorded: true,
      linkOf: () => undefined,
      replay,
      reap: undefined,
      commands: Advice.commandsOf({ history: undefined, quarantine: undefined }),
      files: []
    }),
    bundle
  )
