import type { CheckFailed } from "./CheckFailed.ts"
import * as Context from "effect/Context"

/** Counts the checks of one trial. */
export interface CheckCount {
  passed: number
  failed: number
  /** Collects failing checks that don't end a `soft` scenario. */
  soft?: Array<CheckFailed> | undefined
}

/** The count that checks add to; the runner gives every trial its own. */
export const CheckCount: Context.Reference<CheckCount> = Context.Reference("@webagent/scenario/CheckCount", {
  defaultValue: () => ({ passed: 0, failed: 0 })
})
