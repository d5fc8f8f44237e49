import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import { dirname, join } from "node:path"
import * as Night from "@webagent/nights/Night"
import type { Compared } from "@webagent/nights/NightComparison"
import { usage } from "@webagent/report/UserError"
import { RunReport } from "@webagent/report/RunReport"
import { noNights } from "../NoNights.ts"
import { program } from "../Program.ts"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(RunReport))

const reportAt = Effect.fnUntraced(function* (path: string, text: string) {
  return yield* Effect.mapError(decode(text), ({ message }) =>
    usage(`${path} is not a report of this version: ${message.split("\n")[0]}.`)
  )
})

/** The report of a night of the history; undefined where it is gone or cannot be read. */
const reportOf = Effect.fnUntraced(function* ({ report }: Night.Night, file: string) {
  if (report === undefined) return undefined
  const fs = yield* FileSystem.FileSystem
  const read = fs.readFileString(join(dirname(file), report, "report.json"))
  return yield* Effect.orElseSucceed(Effect.flatMap(read, decode), () => undefined)
})

/** A night of the history by its id, by the beginning of it, or by how long ago it was: `last`, `last-1`. */
const ofHistory = Effect.fnUntraced(function* (word: string, nights: ReadonlyArray<Night.Night>, file: string) {
  const [, back] = /^last(?:-(\d+))?$/u.exec(word) ?? []
  if (word === "last" || back !== undefined) {
    const night = nights.at(-1 - Number(back ?? 0))
    if (night !== undefined) return night
    if (nights.length === 0) return yield* noNights(file)
    return yield* usage(`${word} is before the first night: ${file} has ${nights.length}.`)
  }
  const found = nights.filter(({ id }) => id.startsWith(word))
  if (found.length > 1) return yield* usage(`"${word}" matches ${found.length} nights of ${file}. Give more of the id.`)
  return (
    found[0] ??
    (yield* usage(
      `"${word}" is not a report folder, a report, or a night of ${file}. List nights with "${program} history"; last and last-1 are the newest.`
    ))
  )
})

/** A night that is named on the command line: the folder of a report, its file, or a night of the history. */
export const find = Effect.fnUntraced(function* (word: string, nights: ReadonlyArray<Night.Night>, file: string) {
  const fs = yield* FileSystem.FileSystem
  for (const path of [join(word, "report.json"), word]) {
    const text = yield* Effect.option(fs.readFileString(path))
    if (text._tag === "None") continue
    const report = yield* reportAt(path, text.value)
    return { night: Night.ofReport(report), report } satisfies Compared
  }
  const night = yield* ofHistory(word, nights, file)
  return { night, report: yield* reportOf(night, file) } satisfies Compared
})
