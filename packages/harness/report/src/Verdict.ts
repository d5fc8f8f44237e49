import * as Schema from "effect/Schema"

/**
 * Verdict of a scenario. `passed`: every scored trial passed; `flaky`: some did; `failed`: none did, or it cost too
 * much; `claimed`: none did, and for one the agent reported success; `infra` and `unscored`: more trials could not be
 * scored than passed, mostly for this reason, and none failed; `skipped`: none was run.
 */
export const Verdict = Schema.Literals(["passed", "flaky", "failed", "claimed", "infra", "unscored", "skipped"])
export type Verdict = typeof Verdict.Type
