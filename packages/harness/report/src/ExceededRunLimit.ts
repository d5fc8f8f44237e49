import * as Schema from "effect/Schema"

/** A limit of a whole run that its shards exceeded together. Amounts in USD are exact decimals. */
export const ExceededRunLimit = Schema.Union([
  Schema.TaggedStruct("Cost", { actual_usd: Schema.String, limit_usd: Schema.String }),
  Schema.TaggedStruct("Requests", { actual: Schema.Int, limit: Schema.Int }),
  Schema.TaggedStruct("Time", { actual_ms: Schema.Number, limit_ms: Schema.Number }),
  /** A sentence that an earlier version stored. */
  Schema.TaggedStruct("Other", { text: Schema.String })
])
export type ExceededRunLimit = typeof ExceededRunLimit.Type
