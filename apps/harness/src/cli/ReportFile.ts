import { findingsOf } from "@webagent/findings/Findings"
import { RunReport } from "@webagent/report/RunReport"
import { upgraded } from "@webagent/report/StoredReport"
import { usage } from "@webagent/cli/UserError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const parse = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))
const decodeReport = Schema.decodeUnknownEffect(RunReport)

/**
 * Decodes the text of a report's file. It computes the findings of a report of an older version once. A text of another
 * version is a UserError that names the file.
 */
export const decode = (path: string, text: string) =>
  parse(text).pipe(
    Effect.flatMap((json) => decodeReport(upgraded(json))),
    Effect.map((report): RunReport => ({ ...report, findings: report.findings ?? findingsOf(report) })),
    Effect.mapError(({ message }) => usage(`${path} is not a report of this version: ${message.split("\n")[0]}.`))
  )
