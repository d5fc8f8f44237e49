import { lastLineOf } from "@webagent/findings/words/RunText"
import { statusWords } from "@webagent/findings/words/Title"
import type { RunStatus } from "@webagent/report/Finding"
import { RunReport } from "@webagent/report/RunReport"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { join } from "node:path"

/** The report in a folder. */
export const reportIn = (directory: string): RunReport =>
  Schema.decodeUnknownSync(Schema.fromJsonString(RunReport))(readFileSync(join(directory, "report.json"), "utf8"))

/** The run in the words of its last line. */
export const lastLineIn = (directory: string): string => lastLineOf(reportIn(directory))

/** A status as the last line of a run begins with it. */
export const shout = (status: RunStatus): string => statusWords[status].toUpperCase()
