import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { dirname, join } from "node:path"
import * as Night from "@webagent/nights/Night"
import type { Compared } from "@webagent/nights/NightComparison"
import { ofHistory } from "../HistoryNight.ts"
import * as ReportFile from "../ReportFile.ts"

/** The report of a night of the history; undefined where it is gone or cannot be read. */
const reportOf = Effect.fnUntraced(function* ({ report }: Night.Night, file: string) {
  if (report === undefined) return undefined
  const fs = yield* FileSystem.FileSystem
  const path = join(dirname(file), report, "report.json")
  const read = Effect.flatMap(fs.readFileString(path), (text) => ReportFile.decode(path, text))
  return yield* Effect.orElseSucceed(read, () => undefined)
})

/** A night that is named on the command line: the folder of a report, its file, or a night of the history. */
export const find = Effect.fnUntraced(function* (word: string, nights: ReadonlyArray<Night.Night>, file: string) {
  const fs = yield* FileSystem.FileSystem
  for (const path of [join(word, "report.json"), word]) {
    const text = yield* Effect.option(fs.readFileString(path))
    if (text._tag === "None") continue
    const report = yield* ReportFile.decode(path, text.value)
    return { night: Night.ofReport(report), report } satisfies Compared
  }
  const night = yield* ofHistory(word, nights, file, "a report folder, a report, or a night")
  return { night, report: yield* reportOf(night, file) } satisfies Compared
})
