import { AbReport } from "@webagent/load/AbReport"
import { LoadReport } from "@webagent/load/LoadReport"
import * as Schema from "effect/Schema"

// null where the page could not be written
const page = Schema.NullOr(Schema.String)

/** What `load --json` prints: the report, with what its baseline and its page add. */
export const LoadOutput = Schema.Struct({
  ...LoadReport.fields,
  /** Metrics that are worse than in the baseline. */
  worse: Schema.Array(Schema.String),
  page
}).annotate({ identifier: "LoadOutput" })

/** What `load --ab --json` prints. */
export const AbOutput = Schema.Struct({ ...AbReport.fields, page }).annotate({ identifier: "AbOutput" })
