import type { Run } from "@webagent/harness-api"
import type { EmbeddedData } from "@webagent/harness-api/Embedded"
import { type Night, ofReport } from "@webagent/nights/Night"
import type { RunReport } from "@webagent/report/RunReport"
import type { ReporterContext } from "../reporters/Reporter.ts"
import * as NightsData from "./NightsData.ts"
import * as PageProject from "./PageProject.ts"
import * as RunSummary from "./RunSummary.ts"

/** Input of the page of a run. */
export interface RunPageOptions {
  /** The name of the folder of the run, which the page lies in. */
  readonly id: string
  readonly report: RunReport
  /** Packed traces by the names of their files. */
  readonly traces: ReadonlyArray<readonly [file: string, packed: string]>
  /** Earlier nights, oldest first. */
  readonly nights: ReadonlyArray<Night>
  /** True if the run is a night of the history. */
  readonly isRecorded: boolean
  readonly linkOf: (night: Night) => string | undefined
  readonly replay: ReporterContext["replay"]
  readonly reap: string | undefined
  readonly commands: EmbeddedData["project"]["commands"]
  /** The names of the other files in the folder. */
  readonly files: ReadonlyArray<string>
}

/** The data of the page of a run: its report, and the nights before it. */
export const dataOf = ({
  commands,
  files,
  id,
  isRecorded,
  linkOf,
  nights,
  reap,
  replay,
  report,
  traces
}: RunPageOptions): EmbeddedData => {
  const night = ofReport(report)
  const end = new Date(Date.parse(report.header.startedAt) + report.duration_ms).toISOString()
  const shown = [...nights, night]
  const facts = new Map(report.results.map((result) => [JSON.stringify([result.suite, result.name]), result]))
  const summary = { ...RunSummary.finished(id, report), night: isRecorded ? night.id : null, isOurs: false }
  const run: Run = {
    ...summary,
    report,
    files: files.map((name) => ({ name, bytes: null })),
    replays: report.results.map((result) => ({ suite: result.suite, name: result.name, command: replay(result) })),
    reap: reap ?? null
  }
  return {
    format: 1,
    home: id,
    start: `/runs/${encodeURIComponent(id)}`,
    project: PageProject.of(report.header.tool, { commands, exportedAt: end }),
    suites: { files: [], problem: null },
    runs: { rows: [summary], next: null, total: 1 },
    details: [run],
    traces: Object.fromEntries(traces.map(([file, packed]) => [`${id}/${file}`, packed])),
    ...NightsData.of({
      nights: shown,
      factsOf: (suite, name) => {
        const { owner, tags = [] } = facts.get(JSON.stringify([suite, name])) ?? {}
        return { tags, owner: owner ?? null, quarantine: null }
      },
      runOf: (one) => (one === night ? id : undefined),
      linkOf: (one) => (one === night ? undefined : linkOf(one))
    }),
    loads: [],
    loadDetails: [],
    loadComparisons: [],
    comparedLoads: {}
  }
}
