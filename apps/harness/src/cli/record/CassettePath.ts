import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { counted } from "@webagent/report/Text"
import { program, quoted } from "../Program.ts"

/** The file that was named, or a new one by the time. */
export const fileFor = Effect.fnUntraced(function* (out: string | undefined) {
  if (out !== undefined) return out
  const now = DateTime.formatIso(yield* DateTime.now)
  return join(".webagent", "cassettes", `${now.slice(0, 19).replaceAll(":", "-")}.ndjson`)
})

/** What was recorded, and how to replay it. */
export const recordedLine = (path: string, count: number): string =>
  `recorded ${counted(count, "answer")} in ${path}\nreplay   ${program} serve --cassette ${quoted(path)}`
