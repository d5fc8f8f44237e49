import * as Schema from "effect/Schema"

/** Why a run is red, or what one should know of a run that is not, in one sentence. */
export const Reason = Schema.Struct({
  rule: Schema.Literals([
    "stopped",
    "outage",
    "invariant",
    "leak",
    "left running",
    "failed",
    "claimed",
    "flaky",
    "infra",
    "unscored",
    "regressed",
    "quarantine",
    "not run",
    "limit",
    "cost unknown",
    "scenario limit"
  ]),
  sentence: Schema.String
})
export type Reason = typeof Reason.Type

/** What the gate decided: green exactly when there are no `reasons`; `notes` are what would be a reason, and is not. */
export const GateResult = Schema.Struct({
  green: Schema.Boolean,
  reasons: Schema.Array(Reason),
  notes: Schema.Array(Reason)
})
export type GateResult = typeof GateResult.Type
