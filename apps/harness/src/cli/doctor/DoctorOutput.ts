import * as Schema from "effect/Schema"

/** One thing that the harness looks for on this machine. */
export const Check = Schema.Struct({
  name: Schema.Literals(["Node", "Go", "k6", "Chromium", "bubblewrap", "key", "target"]),
  /** `missing`: only some commands need it. `failed`: fix it before you run. */
  status: Schema.Literals(["ok", "missing", "failed"]),
  /** What is there, or what is wrong. */
  found: Schema.String,
  /** What to do; null where nothing is to be done. */
  advice: Schema.NullOr(Schema.String)
})

export type Check = typeof Check.Type

/** What `doctor --json` prints. */
export const DoctorOutput = Schema.Struct({
  /** Whether no check failed. */
  ok: Schema.Boolean,
  checks: Schema.Array(Check)
}).annotate({ identifier: "DoctorOutput" })
