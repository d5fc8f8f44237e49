import { RunReport } from "@webagent/report/RunReport"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as FileReporter from "./FileReporter.ts"

const encode = Schema.encodeSync(RunReport)

/** Writes the report as JSON; `RunReport` decodes it. */
export const json = FileReporter.define("json", "report.json", (report) =>
  Effect.sync(() => `${JSON.stringify(encode(report), null, 2)}\n`)
)
