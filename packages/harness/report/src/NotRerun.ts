import * as Schema from "effect/Schema"
import { Skip } from "./Skip.ts"

/** The reason why a trial that an infrastructure failure ended was not run again. */
export const NotRerun = Schema.Union([
  /** It failed in the same way on each of its reruns. */
  Schema.TaggedStruct("FailedAgain", { reruns: Schema.Int }),
  /** `--reruns` of the run: all are used up, after this many of the trial's own. */
  Schema.TaggedStruct("RerunsUsedUp", { reruns: Schema.Int, limit: Schema.Int }),
  /** The service asked for a longer pause than a rerun waits. */
  Schema.TaggedStruct("RetryAfter", { after_ms: Schema.Number }),
  /** A rerun might cost more than the cost limit, because the cost of the first try is unknown. */
  Schema.TaggedStruct("CostUnknown", {}),
  /** The reason applies to every trial. */
  Schema.TaggedStruct("Skipped", { skip: Skip })
])
export type NotRerun = typeof NotRerun.Type
