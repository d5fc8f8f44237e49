import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { errors } from "./Errors.ts"
import { Usd } from "./Page.ts"

/** A UTC day, such as `2026-11-28`. */
export const Day = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/u, { message: "Expected a day such as 2026-11-28" })
)

/** Cost of one group of runs. Only the field that the list is grouped by is set, besides the sums; a run also has its key and model. */
export const SpendRow = Schema.Struct({
  day: Schema.NullOr(Schema.String),
  /** Name of the key; null for other groupings, and for runs without a key. */
  key: Schema.NullOr(Schema.String),
  model: Schema.NullOr(Schema.String),
  /** The run; missing for other groupings. Its title is a text of strangers. */
  run: Schema.optionalKey(Schema.Struct({ id: Schema.String, title: Schema.String })),
  usd: Usd,
  runs: Schema.Int,
  inputTokens: Schema.Int,
  outputTokens: Schema.Int
}).annotate({ identifier: "SpendRow" })
export type SpendRow = typeof SpendRow.Type

/** Cost by day, key, model or run. */
export const Spend = Schema.Struct({
  from: Schema.String,
  /** The last day, included. */
  to: Schema.String,
  rows: Schema.Array(SpendRow),
  totalUsd: Usd
}).annotate({ identifier: "Spend" })
export type Spend = typeof Spend.Type

/** Cost of runs. */
export class SpendGroup extends HttpApiGroup.make("spend").add(
  HttpApiEndpoint.get("get", "/spend", {
    query: {
      /** `run` lists the 50 costliest runs that the server still has, the costliest first; the total has all runs. */
      by: Schema.optionalKey(Schema.Literals(["day", "key", "model", "run"])),
      /** The first day; 30 days before `to` by default. */
      from: Schema.optionalKey(Day),
      /** The last day; today by default. */
      to: Schema.optionalKey(Day)
    },
    success: Spend,
    error: [errors.unavailable]
  }).annotate(
    OpenApi.Summary,
    "Sum the cost of runs by UTC day, key or model, or list the costliest runs, over at most 366 days"
  )
) {}
