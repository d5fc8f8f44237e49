import type { LastResult, Project, SuiteTree } from "@webagent/harness-api"
import * as Quarantine from "@webagent/nights/Quarantine"
import { describePlatformError } from "@webagent/cli/PlatformErrorText"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import { resolve } from "node:path"
import { commandsOf } from "../cli/Advice.ts"
import { version } from "../cli/Program.ts"
import * as ReportDirectory from "../cli/reports/ReportDirectory.ts"
import type { RunOptions } from "../cli/RunFlags.ts"
import { Project as ConfiguredProject } from "../config/Project.ts"
import { scenarioKey } from "../run/RunnerOptions.ts"
import { type NightsModel, runOf } from "./NightsModel.ts"
import * as NightsView from "../page/NightsView.ts"
import type { RunFolders } from "./RunFolders.ts"
import type { RunReports } from "./RunReports.ts"
import type { SuitesTree } from "./SuitesTree.ts"

/** Number of newest runs in which to look for the last result of a scenario. */
const recentRuns = 3

interface ProjectOptions {
  readonly options: RunOptions
  readonly can: Project["can"]
  readonly exportedAt: string | null
  readonly history: string
  readonly folders: RunFolders
  readonly reports: RunReports
  readonly nights: NightsModel
  readonly suitesTree: SuitesTree
}

/** Makes the project of the working directory: its folders, what a page may do, and its suites. */
export const make = Effect.fnUntraced(function* (ofProject: ProjectOptions) {
  const {
    can,
    exportedAt,
    folders,
    history,
    nights: { index },
    options,
    reports,
    suitesTree
  } = ofProject
  const fs = yield* FileSystem.FileSystem
  const { config, file } = yield* ConfiguredProject
  const baseline = config.load?.baseline
  const quarantineFile = options.quarantine ?? Quarantine.standard

  /** The quarantine; one that can't be read has no entries, and is a problem of the project. */
  const quarantine = Effect.gen(function* () {
    const today = DateTime.formatIso(yield* DateTime.now).slice(0, 10)
    return yield* Effect.result(
      Effect.provideService(Quarantine.read(options.quarantine, today), FileSystem.FileSystem, fs)
    )
  })
  const entriesOf = (read: Effect.Success<typeof quarantine>) => (Result.isSuccess(read) ? read.success.entries : [])
  const entryOf = Effect.map(quarantine, (read) => {
    const byKey = new Map(entriesOf(read).map((entry) => [scenarioKey(entry.suite, entry.scenario), entry]))
    return (suite: string, name: string) => byKey.get(scenarioKey(suite, name)) ?? null
  })

  const targets = [
    { name: "simulated", address: null, isSimulated: true },
    ...Object.entries(config.targets ?? {}).map(([name, { url }]) => ({ name, address: url, isSimulated: false }))
  ]
  const defaultTarget = targets.find(({ address, name }) => options.target === (address ?? name)) ?? {
    name: options.target,
    address: options.target,
    isSimulated: false
  }

  /** One sentence for each file or folder that runs and changes could not be written to. */
  const unwritable = Effect.forEach([".webagent", ReportDirectory.runs, history, quarantineFile], (path) =>
    fs.access(path, { writable: true }).pipe(
      Effect.as([]),
      Effect.catch((error) =>
        Effect.succeed(
          error.reason._tag === "NotFound" ? [] : [`${path} can't be written to: ${describePlatformError(error)}.`]
        )
      )
    )
  )

  const project = Effect.gen(function* () {
    const past = yield* Effect.result(index)
    const held = yield* quarantine
    return {
      tool: { name: "webagent-harness", version },
      folder: resolve("."),
      config: file ?? null,
      runs: ReportDirectory.runs,
      history,
      quarantine: quarantineFile,
      commands: commandsOf({ ...options, history }),
      baseline: baseline ?? null,
      targets: [defaultTarget, ...targets.filter(({ name }) => name !== defaultTarget.name)],
      maxCost_usd: can.pay ? (options.maxCost ?? null) : null,
      can,
      problems: [
        ...(Result.isFailure(past) ? [past.failure.detail] : past.success.problems),
        ...(Result.isFailure(held) ? [held.failure.message] : []),
        ...(exportedAt === null ? (yield* unwritable).flat() : [])
      ],
      exportedAt
    } satisfies Project
  })

  const recentResults = Effect.gen(function* () {
    const all: Array<ReadonlyMap<string, LastResult>> = []
    for (const name of yield* folders.names) {
      if (all.length === recentRuns) break
      const results = yield* reports.results(name)
      if (results.size > 0) all.push(results)
    }
    return all
  })

  const suites: Effect.Effect<SuiteTree> = Effect.gen(function* () {
    const past = yield* Effect.result(index)
    const ofNight = Result.isSuccess(past)
      ? NightsView.lastOf(past.success, (night) => runOf(history, night))
      : () => undefined
    const recent = yield* recentResults
    const last = (suite: string, name: string) => {
      const key = scenarioKey(suite, name)
      const candidates = [ofNight(suite, name), ...recent.map((results) => results.get(key))]
      return candidates.reduce<LastResult | null>(
        (newest, one) => (one === undefined || (newest !== null && newest.at >= one.at) ? newest : one),
        null
      )
    }
    return yield* suitesTree.read({ last, quarantine: yield* entryOf })
  })

  return { quarantineFile, entryOf, project, suites }
})
