import { MissingError, pageSize, type Run, type RunPage, type RunSummary } from "@webagent/harness-api"
import type { RunReport } from "@webagent/report/RunReport"
import * as Effect from "effect/Effect"
import * as Advice from "../cli/Advice.ts"
import * as ReportDirectory from "../cli/reports/ReportDirectory.ts"
import type { RunOptions } from "../cli/RunFlags.ts"
import type { Config } from "../config/Config.ts"
import type { RunFolders } from "./RunFolders.ts"
import type { RunReports } from "./RunReports.ts"

interface RunsOptions {
  readonly folders: RunFolders
  readonly reports: RunReports
  readonly options: RunOptions
  readonly config: Config
  /** The ids of nights by the ids of their runs. */
  readonly nightOfRun: Effect.Effect<ReadonlyMap<string, string>>
  readonly isOurs: (run: string) => boolean
}

/** Makes the runs of the folder of reports. */
export const make = ({ config, folders, isOurs, nightOfRun, options, reports }: RunsOptions) => {
  const rowOf = Effect.fnUntraced(function* (id: string, nights: ReadonlyMap<string, string>) {
    const summary = yield* reports.summary(id)
    return summary && ({ ...summary, night: nights.get(id) ?? null, isOurs: isOurs(id) } satisfies RunSummary)
  })

  const runs = Effect.fnUntraced(function* ({
    before,
    limit = pageSize.default
  }: {
    readonly before?: string | undefined
    readonly limit?: number | undefined
  }) {
    const all = yield* folders.names
    const names = before === undefined ? all : all.filter((name) => name < before)
    const nights = yield* nightOfRun
    const rows: Array<RunSummary> = []
    let next: string | null = null
    for (const name of names) {
      if (rows.length === limit) {
        next = rows.at(-1)?.id ?? null
        break
      }
      const row = yield* rowOf(name, nights)
      if (row !== undefined) rows.push(row)
    }
    return { rows, next, total: all.length } satisfies RunPage
  })

  const summary = Effect.fnUntraced(function* (id: string) {
    yield* folders.pathOf(id)
    const row = yield* rowOf(id, yield* nightOfRun)
    return row ?? (yield* new MissingError({ detail: `Folder "${id}" of ${ReportDirectory.runs} has no run.` }))
  })

  /** The options with which a finished run would be run again. */
  const optionsOf = ({ header }: RunReport): RunOptions => ({
    ...options,
    target: header.target.simulated ? "simulated" : header.target.address,
    seed: header.seed,
    trials: header.trials ?? undefined,
    // a scenario of a recorded night may have had a number of its own
    keepsDeclaredTrials: true,
    trial: undefined
  })

  const run = Effect.fnUntraced(function* (id: string) {
    const row = yield* summary(id)
    const report = row.state === "finished" ? yield* reports.report(id) : null
    const replay =
      report === null
        ? undefined
        : Advice.replay(
            optionsOf(report),
            (suite) => report.header.suites.find(({ name }) => name === suite)?.argument ?? suite,
            config
          )
    const reap = report && Advice.reap(optionsOf(report), config)(report, `${ReportDirectory.runs}/${id}`)
    return {
      ...row,
      report,
      files: yield* folders.filesOf(id),
      replays:
        replay === undefined || report === null
          ? []
          : report.results.map((result) => ({ suite: result.suite, name: result.name, command: replay(result) })),
      reap: reap ?? null
    } satisfies Run
  })

  return { runs, summary, run }
}
