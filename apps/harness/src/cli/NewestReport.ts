import { isBad, RunReport } from "@webagent/report/RunReport"
import { usage } from "@webagent/report/UserError"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import { join } from "node:path"
import { scenarioKey } from "../run/RunnerOptions.ts"
import { program } from "./Program.ts"
import * as ReportDirectory from "./ReportDirectory.ts"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(RunReport))

/** The newest report folder that has a file: the given folder, else the newest of those that runs make. */
export const find = Effect.fnUntraced(function* (given: string | undefined, file: string) {
  const fs = yield* FileSystem.FileSystem
  const names = given === undefined ? yield* Effect.orElseSucceed(fs.readDirectory(ReportDirectory.runs), () => []) : []
  const folders =
    given === undefined
      ? names
          .toSorted()
          .toReversed()
          .map((name) => join(ReportDirectory.runs, name))
      : [given]
  for (const folder of folders) {
    if (yield* Effect.orElseSucceed(fs.exists(join(folder, file)), () => false)) return join(folder, file)
  }
  return yield* usage(`${given ?? ReportDirectory.runs} has no ${file}. Run suites first: ${program} run`)
})

/** The scenarios that failed in the newest report, by `scenarioKey`. */
export const failed = Effect.fnUntraced(function* (given: string | undefined) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* find(given, "report.json")
  const unreadable = () => usage(`${path} is not a report of this version. Run without --last-failed.`)
  const { results } = yield* Effect.mapError(Effect.flatMap(fs.readFileString(path), decode), unreadable)
  const keys = new Set(results.filter(isBad).map(({ name, suite }) => scenarioKey(suite, name)))
  return keys.size > 0 ? keys : yield* usage(`No scenario failed in ${path}. Run without --last-failed.`)
})
