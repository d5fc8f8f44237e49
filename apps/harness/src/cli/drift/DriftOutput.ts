import { Drift } from "@webagent/cassette/Drift"
import * as Schema from "effect/Schema"

/** The output of `drift --json`. */
export const DriftOutput = Schema.Struct({
  /** The two sides as they were named. */
  a: Schema.String,
  b: Schema.String,
  ...Drift.fields
}).annotate({ identifier: "DriftOutput" })
