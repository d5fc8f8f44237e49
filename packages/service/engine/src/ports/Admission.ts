import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { StoreUnavailable } from "./Store.ts"

/** A create exceeds a limit of its caller. Nothing was written. */
export class AdmissionRefused extends Data.TaggedError("AdmissionRefused")<{
  readonly message: string
  /** Delay before a retry may be admitted. */
  readonly retryAfter_ms: number
}> {}

/** Checks a create, inside the commit that writes it. */
export type Admit = Effect.Effect<void, AdmissionRefused | StoreUnavailable>

/**
 * Runs inside the commit of each create of the caller, after the records are written; a failure undoes the create. It
 * doesn't run for a repeated create. Limits of creates count here, on any node.
 */
export const Admission: Context.Reference<Admit | null> = Context.Reference("@webagent/engine/Admission", {
  defaultValue: (): Admit | null => null
})
