import { AbReport } from "@webagent/load/AbReport"
import { LoadReport } from "@webagent/load/LoadReport"
import * as Schema from "effect/Schema"

// null where the page could not be written
const page = Schema.NullOr(Schema.String)

/** The output of `load --json`: the report, with the result of its baseline and the path of its page. */
export const LoadOutput = Schema.Struct({
  ...LoadReport.fields,
  /** Metrics that are worse than in the baseline. */
  worse: Schema.Array(Schema.String),
  page
}).annotate({ identifier: "LoadOutput" })

/** The output of `load compare --json`. */
export const AbOutput = Schema.Struct({ ...AbReport.fields, page }).annotate({ identifier: "AbOutput" })
