import * as Schema from "effect/Schema"

/** The filters that chose some of the scenarios or trials of a run. */
export const Selection = Schema.Struct({
  /** The values of `--tag`. */
  tags: Schema.Array(Schema.String),
  /** The values of `--owner`; absent without it. */
  owners: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The value of `--name`. */
  name: Schema.optionalKey(Schema.String),
  /** Number of scenarios that were chosen one by one, in a page. */
  scenarios: Schema.optionalKey(Schema.Int),
  /** True with `--last-failed`. */
  lastFailed: Schema.optionalKey(Schema.Boolean),
  /** The value of `--trial`, which counts from 1. */
  trial: Schema.optionalKey(Schema.Int)
})
export type Selection = typeof Selection.Type
