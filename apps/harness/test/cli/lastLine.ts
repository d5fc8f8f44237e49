import { lastLineOf } from "@webagent/findings/words/RunText"
import { RunReport } from "@webagent/report/RunReport"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { join } from "node:path"

/** The report in a folder. */
export const reportIn = (directory: string): RunReport =>
  Schema.decodeUnknownSync(Schema.fromJsonString(RunReport))(readFileSync(join(directory, "report.json"), "utf8"))

/** The run in the words of its last line. */
export const lastLineIn = (directory: string): string => lastLineOf(reportIn(directory))
