import {
  type AcceptNight,
  type AcknowledgeNight,
  CannotError,
  type NightFigure,
  type Project,
  type QuarantineScenario
} from "@webagent/harness-api"
import * as Decisions from "@webagent/nights/Decisions"
import * as NightFile from "@webagent/nights/NightFile"
import type { UserError } from "@webagent/cli/UserError"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as ReportDirectory from "../cli/reports/ReportDirectory.ts"
import type { RunOptions } from "../cli/RunFlags.ts"
import { Project as ConfiguredProject } from "../config/Project.ts"
import { scenarioKey } from "../run/RunnerOptions.ts"
import * as LoadTests from "./LoadTests.ts"
import * as NightsModel from "./NightsModel.ts"
import * as NightsView from "../page/NightsView.ts"
import * as ProjectModel from "./ProjectModel.ts"
import * as RunFolders from "./RunFolders.ts"
import * as RunReports from "./RunReports.ts"
import * as RunsModel from "./RunsModel.ts"
import * as SuitesTree from "./SuitesTree.ts"

/** Which project the screens show, and what they may do. */
export interface ModelOptions {
  readonly options: RunOptions
  readonly can: Project["can"]
  /** True for a running run that this process started. */
  readonly isOurs: (run: string) => boolean
  readonly exportedAt: string | null
}

const lastDefault = 365

const refused = ({ message }: UserError) => new CannotError({ detail: message })

/** The tolerance of `load` without a flag. */
const tolerance = 0.1

/** Everything that the screens show and change, from the files of the project. Handlers and export use it alike. */
export type Model = Effect.Success<ReturnType<typeof make>>

/** Makes the model of the project in the working directory. */
export const make = Effect.fnUntraced(function* ({ can, exportedAt, isOurs, options }: ModelOptions) {
  const { config } = yield* ConfiguredProject
  const fs = yield* FileSystem.FileSystem
  const write = <A>(effect: Effect.Effect<A, UserError, FileSystem.FileSystem>) =>
    effect.pipe(Effect.mapError(refused), Effect.provideService(FileSystem.FileSystem, fs))
  const history = options.history ?? NightFile.standard
  const folders = yield* RunFolders.make()
  const reports = yield* RunReports.make(folders)
  const past = yield* NightsModel.make(history, { folders, reports })
  const suitesTree = SuitesTree.make(options)
  const loads = yield* LoadTests.make(folders, { baseline: config.load?.baseline, tolerance })
  const ofProject = { options, can, exportedAt, history, folders, reports, nights: past, suitesTree }
  const { entryOf, project, quarantineFile, suites } = yield* ProjectModel.make(ofProject)
  const runs = RunsModel.make({ folders, reports, options, config, nightOfRun: past.nightOfRun, isOurs })

  const nights = Effect.fnUntraced(function* (last = lastDefault) {
    const index = yield* past.index
    const names = new Set(yield* folders.names)
    const entry = yield* entryOf
    const tree = yield* suitesTree.read({ last: () => null, quarantine: () => null })
    const facts = new Map(
      tree.files.flatMap(({ scenarios, suite }) =>
        scenarios.map(({ name, owner, tags }) => [scenarioKey(suite ?? "", name), { tags, owner }] as const)
      )
    )
    const factsOf = (suite: string, name: string) => ({
      ...(facts.get(scenarioKey(suite, name)) ?? { tags: [], owner: null }),
      quarantine: entry(suite, name)
    })
    return NightsView.mapOf(index, {
      last,
      factsOf,
      runOf: (night) => {
        const run = NightsModel.runOf(history, night)
        return run !== undefined && names.has(run) ? run : undefined
      }
    })
  })

  const figures = (figure: NightFigure, last = lastDefault) =>
    Effect.map(past.index, (index) => NightsView.figuresOf(index, figure, last))

  const stampOf = (path: string) =>
    fs.stat(path).pipe(
      Effect.map(({ mtime, size }) => `${size} ${Option.getOrUndefined(mtime)?.getTime()}`),
      Effect.orElseSucceed(() => "")
    )
  /** A text for each kind of data, which differs when the data may have changed. */
  const fingerprints = Effect.gen(function* () {
    const names = yield* folders.names
    const newest = yield* Effect.forEach(names.slice(0, 20), (name) => stampOf(`${ReportDirectory.runs}/${name}`))
    // a run whose process was killed changes no file
    const runs = JSON.stringify([names.length, names[0], newest, names.find(isOurs)])
    const nights = `${yield* stampOf(history)} ${yield* stampOf(quarantineFile)}`
    const suites = String(suitesTree.loads() + ((yield* suitesTree.hasChanged) ? 1 : 0))
    return { runs, load: runs, nights, suites }
  })

  return {
    ...past,
    fingerprints,
    ...runs,
    folders,
    reports,
    suitesTree,
    project,
    suites,
    nights,
    figures,
    loads,
    accept: Effect.fnUntraced(function* (night: string, { note, scenario }: AcceptNight) {
      return yield* write(Decisions.accept({ history, night, scenario, note, past: yield* past.pastWith(night) }))
    }),
    acknowledge: Effect.fnUntraced(function* (night: string, { note, owner, scenario, until }: AcknowledgeNight) {
      const decided = { history, night, scenario, owner, until, note, past: yield* past.pastWith(night) }
      return yield* write(Decisions.acknowledge(decided))
    }),
    quarantine: Effect.fnUntraced(function* ({ expires, owner, reason, scenario, suite }: QuarantineScenario) {
      const { files } = yield* suites
      const scenarios = files.flatMap((file) => file.scenarios.map(({ name }) => ({ suite: file.suite ?? "", name })))
      const entry = { file: quarantineFile, scenario: { suite, name: scenario }, owner, reason, expires }
      return yield* write(Decisions.quarantine(scenarios.length === 0 ? entry : { ...entry, scenarios }))
    }),
    release: ({ scenario, suite }: { readonly suite: string; readonly scenario: string }) =>
      write(Decisions.release({ file: quarantineFile, scenario: { suite, name: scenario } }))
  }
})
