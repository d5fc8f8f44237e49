import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StoreUnavailable } from "./Store.ts"

/**
 * Runs inside of the commit of whatever the caller creates, after it is written: what this dies with undoes the create.
 * A repeat of a create does not come this far. Limits of creates count here, on any node.
 */
export const Admission: Context.Reference<Effect.Effect<void, StoreUnavailable> | null> = Context.Reference(
  "@webagent/engine/Admission",
  { defaultValue: (): Effect.Effect<void, StoreUnavailable> | null => null }
)
