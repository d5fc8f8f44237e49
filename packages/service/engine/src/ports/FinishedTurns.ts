import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Turn } from "../domain/Turn.ts"

/**
 * Runs once for each turn that finished, after its end was stored, at the node that stored it; null for no observer. The
 * turn has its final cost. It covers every way a turn can finish, such as a limit, a cancel or a lost node.
 */
export const FinishedTurns: Context.Reference<((turn: Turn) => Effect.Effect<void>) | null> = Context.Reference(
  "@webagent/engine/FinishedTurns",
  { defaultValue: (): ((turn: Turn) => Effect.Effect<void>) | null => null }
)
