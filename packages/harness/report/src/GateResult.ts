import * as Schema from "effect/Schema"

/** The reason why a run failed, or a note on a run that passed, in one sentence. */
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

/**
 * Decision of the gate: it passes exactly if there are no `reasons`; `notes` are problems that would be a reason, but
 * are excused.
 */
export const GateResult = Schema.Struct({
  green: Schema.Boolean,
  reasons: Schema.Array(Reason),
  notes: Schema.Array(Reason)
})
export type GateResult = typeof GateResult.Type
