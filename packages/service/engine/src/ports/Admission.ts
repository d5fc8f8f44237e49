import * as Context from "effect/Context"
import type { Admit } from "./Store.ts"

/**
 * Runs inside the commit of each create of the caller, after the records are written; a failure undoes the create. It
 * doesn't run for a repeated create. Limits of creates count here, on any node.
 */
export const Admission: Context.Reference<Admit | null> = Context.Reference("@webagent/engine/Admission", {
  defaultValue: (): Admit | null => null
})

/** The run that the commit around an `Admission` creates; null in the commit of anything else. */
export const CreatedRun: Context.Reference<string | null> = Context.Reference("@webagent/engine/CreatedRun", {
  defaultValue: (): string | null => null
})
