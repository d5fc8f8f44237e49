import { isBad, type ScenarioResult } from "@webagent/report/RunReport"
import { usage } from "@webagent/cli/UserError"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { join } from "node:path"
import { scenarioKey } from "../../run/RunnerOptions.ts"
import { program } from "../Program.ts"
import * as ReportFile from "../ReportFile.ts"
import * as ReportDirectory from "./ReportDirectory.ts"

/**
 * The newest report folder that has a file: the named folder, or the run of this name; else the newest of those that
 * runs make.
 */
export const find = Effect.fnUntraced(function* (named: string | undefined, file: string) {
  const fs = yield* FileSystem.FileSystem
  const exists = (path: string) => Effect.orElseSucceed(fs.exists(path), () => false)
  const names = yield* Effect.orElseSucceed(fs.readDirectory(ReportDirectory.runs), () => [])
  const ofRun = (name: string) => join(ReportDirectory.runs, name)
  const folders = named === undefined ? names.toSorted().toReversed().map(ofRun) : [named, ofRun(named)]
  for (const folder of folders) if (yield* exists(join(folder, file))) return join(folder, file)
  if (named === undefined)
    return yield* usage(`No run has left a ${file} in ${ReportDirectory.runs}. Run suites first: ${program} run`)
  const isThere = (yield* Effect.forEach(folders, exists)).includes(true)
  return yield* usage(
    `${isThere ? `${named} has no ${file}` : `There is no report ${named}`}. Name the folder of a run, or no folder for the newest run.`
  )
})

/** True if an outage kept some trials of a scenario from running. */
const isKeptByOutage = ({ skip, trials }: ScenarioResult): boolean =>
  [skip, ...trials.map((trial) => trial.skip)].some((one) => one?._tag === "ServiceAway")

/** The scenarios that failed in the newest report, or that an outage kept from running, by `scenarioKey`. */
export const failed = Effect.fnUntraced(function* (named: string | undefined) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* find(named, "report.json")
  const unreadable = () => usage(`${path} is not a report of this version. Run without --last-failed.`)
  const read = Effect.flatMap(fs.readFileString(path), (text) => ReportFile.decode(path, text))
  const { results } = yield* Effect.mapError(read, unreadable)
  const keys = new Set(
    results
      .filter((result) => isBad(result) || isKeptByOutage(result))
      .map(({ name, suite }) => scenarioKey(suite, name))
  )
  return keys.size > 0 ? keys : yield* usage(`No scenario failed in ${path}. Run without --last-failed.`)
})
