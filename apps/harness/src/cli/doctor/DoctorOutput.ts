import * as Schema from "effect/Schema"

/** One thing that the harness looks for on this machine. */
export const Check = Schema.Struct({
  name: Schema.Literals(["Node", "Go", "k6", "Chromium", "bubblewrap", "key", "target"]),
  /** `missing`: only some commands need it. `failed`: fix it before you run. */
  status: Schema.Literals(["ok", "missing", "failed"]),
  /** The state that the check found, or the problem. */
  found: Schema.String,
  /** The fix for the problem; null if there is no problem to fix. */
  advice: Schema.NullOr(Schema.String)
})

export type Check = typeof Check.Type

/** The output of `doctor --json`. */
export const DoctorOutput = Schema.Struct({
  /** True if no check failed. */
  ok: Schema.Boolean,
  checks: Schema.Array(Check)
}).annotate({ identifier: "DoctorOutput" })
